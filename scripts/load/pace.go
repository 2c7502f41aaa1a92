package main

import (
	"context"
	"sync"
	"time"
)

// atOnce is how many things of one kind may be under way.
const atOnce = 128

// pace begins something at a rate for a while, whether or not what was begun before has ended, and returns when all has. n
// counts what is begun, and due is when its turn was: whoever measures from then on sees the waiting, too.
func pace(ctx context.Context, rate float64, last time.Duration, begin func(n int, due time.Time)) {
	var under sync.WaitGroup
	defer under.Wait()
	room := make(chan struct{}, atOnce)
	start := time.Now()
	for n := 0; ; n++ {
		after := time.Duration(float64(n) / rate * float64(time.Second))
		if after >= last || time.Since(start) > last { // what was held back for so long is not begun any more
			return
		}
		due := start.Add(after)
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(due)):
		}
		select {
		case <-ctx.Done():
			return
		case room <- struct{}{}:
		}
		under.Go(func() {
			defer func() { <-room }()
			begin(n, due)
		})
	}
}
