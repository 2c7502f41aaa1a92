package console

import "sync"

// lazy makes the value of each key once, when it is first asked for. Keys must be few, since values stay.
func lazy[K comparable, V any](value func(key K) V) func(key K) V {
	var all sync.Map
	return func(key K) V {
		once, ok := all.Load(key)
		if !ok {
			once, _ = all.LoadOrStore(key, sync.OnceValue(func() V { return value(key) }))
		}
		return once.(func() V)()
	}
}
