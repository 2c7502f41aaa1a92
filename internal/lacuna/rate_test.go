package lacuna_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/lacuna"
)

func TestRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := piped(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			name := map[bool]string{true: "Folder", false: "Complete"}[r.Method == http.MethodGet]
			if r.URL.Path == "/api/documents" {
				name = "Create"
			}
			_, _ = io.WriteString(w, good(name))
		}, func(o *lacuna.Options) { o.Rate, o.Burst = 2, 3 })
		began := time.Now()
		takes := func(what string, want time.Duration, do func() error) {
			t.Helper()
			err := do()
			if got := time.Since(began); err != nil || got != want {
				t.Errorf("%s took until %v, want %v: %v", what, got, want, err)
			}
		}
		folder := func() error { _, err := c.Folder(t.Context(), folderID); return err }
		for range 3 {
			takes("the burst", 0, folder)
		}
		takes("a read", 500*time.Millisecond, folder)
		takes("another", time.Second, folder)
		takes("Ready", 1500*time.Millisecond, func() error { return c.Ready(t.Context()) })
		takes("Create", 1500*time.Millisecond, func() error { _, err := c.Create(t.Context(), dispatch); return err })
		takes("Complete", 1500*time.Millisecond, func() error { _, err := c.Complete(t.Context(), opening, "t", nil); return err })
		takes("Cancel", 2*time.Second, func() error { return c.Cancel(t.Context(), documentID, "why") })

		short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		err := c.Ready(short)
		if !errors.Is(err, fault.Throttled) || time.Since(began) != 2*time.Second {
			t.Errorf("Ready without time = %v after %v", err, time.Since(began))
		}
	})
}

// A refused key is not a reason to call faster than the rate.
func TestRateOfRefusedKeys(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		keys := reader{keys: []string{"old", "new"}}
		c := piped(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Api-Key") != "new" {
				w.WriteHeader(http.StatusUnauthorized)
			}
		}, func(o *lacuna.Options) { o.Rate, o.Key = 1, keys.read })
		began := time.Now()
		if err := c.Cancel(t.Context(), documentID, "why"); err != nil || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		keys = reader{keys: []string{"old", "new"}}
		short, cancel := context.WithTimeout(t.Context(), 1100*time.Millisecond)
		defer cancel()
		if err := c.Cancel(short, documentID, "why"); !errors.Is(err, fault.Throttled) {
			t.Errorf("%v when the time ends, want %v: the new key was not tried", err, fault.Throttled)
		}
	})
}
