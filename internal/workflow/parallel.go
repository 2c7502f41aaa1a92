package workflow

import "sync"

// inParallel does something to each item, n at a time, and returns when all is done. A panic in one is the caller's: it
// must end as the invocation's failure, and not as the process's.
func inParallel[T any](n int, items []T, do func(T)) {
	if n <= 1 {
		for _, item := range items {
			do(item)
		}
		return
	}
	var running sync.WaitGroup
	var first sync.Once
	var panicked any
	free := make(chan struct{}, n)
	for _, item := range items {
		free <- struct{}{}
		running.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					first.Do(func() { panicked = v })
				}
				<-free
			}()
			do(item)
		})
	}
	running.Wait()
	if panicked != nil {
		panic(panicked)
	}
}

// indexes are the places of n items, for results that are kept by their place.
func indexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
