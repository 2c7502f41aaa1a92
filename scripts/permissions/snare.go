package main

import (
	"net/http"
	"sync"

	"bulksigner/internal/local/emulator"
)

// snare stops one request of a function for good: the first that is looked for once it was set.
type snare struct {
	mu     sync.Mutex
	looks  func(*http.Request) bool
	caught chan struct{}
}

// set looks for a request of a function from now on. What is returned is closed when one was caught. It is let go unanswered
// when its sender is gone.
func (s *snare) set(function string, looks func(*http.Request) bool) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.caught = make(chan struct{})
	s.looks = func(r *http.Request) bool {
		key, _, _ := emulator.Credential(r)
		return key == emulator.KeyOf(function) && looks(r)
	}
	return s.caught
}

// around puts the snare behind what watches, so that what is caught was seen.
func (s *snare) around(watch func(http.Handler) http.Handler) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return watch(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if s.catches(r) {
				<-r.Context().Done()
				return
			}
			next.ServeHTTP(w, r)
		}))
	}
}

func (s *snare) catches(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.looks == nil || !s.looks(r) {
		return false
	}
	s.looks = nil
	close(s.caught)
	return true
}
