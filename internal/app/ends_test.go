package app_test

import (
	"context"
	"crypto/x509"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/app"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow"
)

// notes keeps what is noted of certificates.
type notes struct {
	kept  map[string]job.Pass
	err   error // of the next calls
	hangs bool
	asked int
}

func (n *notes) Pass(ctx context.Context, name string) (job.Pass, error) {
	n.asked++
	if n.hangs {
		<-ctx.Done()
		return job.Pass{}, ctx.Err()
	}
	return n.kept[name], n.err
}

func (n *notes) Lease(_ context.Context, name, owner string, _, until time.Time) (job.Pass, error) {
	p := n.kept[name]
	p.Name, p.Owner, p.Until = name, owner, until
	return p, nil
}

func (n *notes) SavePass(_ context.Context, p job.Pass) error {
	n.kept[p.Name] = p
	return nil
}

// TestKeysNoteTheirEnds: a certificate is noted when its key is first opened, and again when another is found. That it
// cannot be noted keeps nobody from the key.
func TestKeysNoteTheirEnds(t *testing.T) {
	i := issue(t)
	p := profile.Profile{Name: "letters", Version: 3, Certificate: &profile.Certificate{Source: profile.Pfx, Pfx: &profile.PfxKey{Location: "s3://a/b.p12"}}}
	synctest.Test(t, func(t *testing.T) {
		keys, table := &opened{key: profile.Key{Certificate: i.person}}, &notes{kept: map[string]job.Pass{}}
		noted := app.NewNoted(keys, table)
		steps := []struct {
			name  string
			do    func()
			asked int // of the table, all in all
			kept  int
		}{
			{"the table is out of reach", func() { table.err = errors.New("no answer") }, 1, 0},
			{"the table hangs", func() { table.err, table.hangs = nil, true }, 2, 0},
			{"it answers", func() { table.hangs = false }, 3, 1},
			{"the same once more", func() {}, 3, 1},
			{"another certificate at its place", func() { keys.key.Certificate = &x509.Certificate{NotAfter: i.person.NotAfter.AddDate(1, 0, 0)} }, 4, 1},
			{"another version of the profile", func() { p.Version++ }, 5, 1},
		}
		for _, s := range steps {
			s.do()
			began := time.Now()
			if key, err := noted.Open(t.Context(), p); err != nil || key.Certificate != keys.key.Certificate {
				t.Errorf("%s: the key did not open: %v", s.name, err)
			}
			if took := time.Since(began); took > 3*time.Second || table.asked != s.asked || len(table.kept) != s.kept {
				t.Errorf("%s: after %s the table was asked %d times and keeps %d notes, want %d and %d", s.name, took, table.asked, len(table.kept), s.asked, s.kept)
			}
		}
		keys.err = errors.New("no such file")
		if _, err := noted.Open(t.Context(), p); !errors.Is(err, keys.err) || table.asked != 5 {
			t.Errorf("Open = %v after %d looks at the table, want %v after 5", err, table.asked, keys.err)
		}
	})
}

// TestCertificatesNoteTheirEnds is the same for a function that reads certificates alone.
func TestCertificatesNoteTheirEnds(t *testing.T) {
	t.Parallel()
	i, table := issue(t), &notes{kept: map[string]job.Pass{}}
	var keys workflow.Keys = app.NewNotedCertificates(&opened{}, shelf{}, table)
	read, ok := keys.(workflow.Certificates)
	if !ok {
		t.Fatal("who may read certificates alone would open keys")
	}
	for range 2 {
		if c, err := read.Certificate(t.Context(), inKMS(string(encode(i.person)))); err != nil || !c.Equal(i.person) {
			t.Errorf("the certificate is %v, %v", c, err)
		}
	}
	if _, err := read.Certificate(t.Context(), inKMS("none")); err == nil || len(table.kept) != 1 || table.asked != 1 {
		t.Errorf("%v: %d notes after %d looks, want one of each", err, len(table.kept), table.asked)
	}
}

// TestThenOnce: the first invocation that has the time for it, and no other.
func TestThenOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		done, bound := 0, time.Duration(0)
		work := func(_ context.Context, m []app.Message) []string { return []string{m[0].ID} }
		batch := app.ThenOnce(work, func(ctx context.Context) error {
			done++
			end, _ := ctx.Deadline()
			bound = time.Until(end)
			return errors.New("no answer")
		})
		for n, left := range []time.Duration{44 * time.Second, 46 * time.Second, time.Hour} {
			ctx, cancel := context.WithTimeout(t.Context(), left)
			if again := batch(ctx, messages(1)); len(again) != 1 {
				t.Errorf("%v come again, want what the work says", again)
			}
			cancel()
			if want := min(n, 1); done != want || bound > 10*time.Second {
				t.Errorf("with %s left it was done %d times within %s, want %d within 10 s", left, done, bound, want)
			}
		}
	})
}
