package keys_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/aws/keys"
	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

func TestReadyKeepsTheRate(t *testing.T) {
	t.Parallel()
	p := kmsProfile(fakeARN, encode(issue(t, rsaKey().Public())))
	synctest.Test(t, func(t *testing.T) {
		k := keys.New(newFakeKMS(t, rsaKey()), &files{}, &files{}, 0.5)
		other := p
		other.Name = "other" // another profile of the same key shares its rate
		began := time.Now()
		for i := range 4 {
			key, err := k.Open(t.Context(), []profile.Profile{p, other}[i%2])
			if err != nil {
				t.Fatal(err)
			}
			if err := key.Ready(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if d := time.Since(began); d != 6*time.Second {
			t.Errorf("four signatures at one in 2 s began within %s, want 6 s", d)
		}
	})
}

func TestReadyEndsWithTheRun(t *testing.T) {
	t.Parallel()
	p := kmsProfile(fakeARN, encode(issue(t, rsaKey().Public())))
	synctest.Test(t, func(t *testing.T) {
		for _, rate := range []float64{0.01, 0} {
			key, err := keys.New(newFakeKMS(t, rsaKey()), &files{}, &files{}, rate).Open(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			has(t, "first Ready", key.Ready(t.Context()), "")
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			if rate == 0 {
				cancel()
			}
			has(t, "second Ready", key.Ready(ctx), fault.Throttled)
			cancel()
		}
	})
}
