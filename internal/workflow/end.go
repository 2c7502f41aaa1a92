package workflow

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// endLease is how long a note may take to be written.
const endLease = 10 * time.Second

// end is when the certificate of a profile ends, as somebody noted who had read it. Whoever tells of it need not be able to
// read it: in a PKCS#12 file it is behind the same password as its key.
type end struct {
	Of       string // the certificate block that was in force; a note about another one counts no more
	NotAfter time.Time
}

// NoteEnd notes when the certificate of a profile ends. What is noted already is written no second time; where somebody
// else writes at this moment, that note stands.
func NoteEnd(ctx context.Context, passes Passes, p profile.Profile, c *x509.Certificate, now time.Time) error {
	name, news := job.CertificatePass(p.Name), end{blockOf(p), c.NotAfter.UTC()}
	pass, err := passes.Pass(ctx, name)
	if err != nil {
		return err
	}
	if had := readEnd(pass.State); had.Of == news.Of && had.NotAfter.Equal(news.NotAfter) {
		return nil
	}
	state, err := json.Marshal(news)
	if err != nil {
		return fmt.Errorf("encode the end of a certificate: %w", err)
	}
	pass, err = passes.Lease(ctx, name, rand.Text(), now, now.Add(endLease))
	if err == nil {
		pass.State, pass.Until = string(state), now
		err = passes.SavePass(ctx, pass)
	}
	if errors.Is(err, fault.JobRaceLost) {
		return nil
	}
	return err
}

// readEnd reads a note. One that cannot be read says nothing, and is written anew by whoever reads the certificate next.
func readEnd(state string) (e end) {
	if json.Unmarshal([]byte(state), &e) != nil {
		return end{}
	}
	return e
}

// blockOf tells the certificate blocks of profiles apart. A profile's version would not do: most saves leave the block.
func blockOf(p profile.Profile) string {
	b, err := json.Marshal(p.Certificate)
	if err != nil {
		panic(err) // texts and numbers can be encoded
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// noteEnd is NoteEnd for who has saved a profile. A note that is missing is made by the next that opens the key.
func (w *Workflow) noteEnd(ctx context.Context, p profile.Profile, c *x509.Certificate) {
	if err := NoteEnd(ctx, w.Passes, p, c, w.Now()); err != nil {
		slog.WarnContext(ctx, "end of a certificate not noted", "profile", p.Name, "err", err)
	}
}

// ReadEnds opens the keys of enabled profiles of whose certificate nobody has noted when it ends, so that the end of one that
// waits for its first job is told of too. The keys note what they see. What cannot be opened is left to that job.
func (w *Workflow) ReadEnds(ctx context.Context) error {
	all, err := w.enabled(ctx)
	if err != nil {
		return err
	}
	for _, p := range all {
		if !certified(p) {
			continue
		}
		ends, err := w.endOf(ctx, p)
		if err == nil && ends.IsZero() {
			_, err = w.Keys.Open(ctx, p)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			slog.WarnContext(ctx, "certificate not read", "profile", p.Name, "code", fault.CodeOf(err), "err", err)
		}
	}
	return nil
}

// endOf is when the certificate of a profile ends: zero if it has none, or nobody has read it. It returns a fault of the
// kind certificate.* where the profile itself holds what is none.
func (w *Workflow) endOf(ctx context.Context, p profile.Profile) (time.Time, error) {
	if !certified(p) {
		return time.Time{}, nil
	}
	pass, err := w.Passes.Pass(ctx, job.CertificatePass(p.Name))
	if err != nil {
		return time.Time{}, fmt.Errorf("read when the certificate of profile %s ends: %w", p.Name, err)
	}
	if e := readEnd(pass.State); e.Of == blockOf(p) {
		return e.NotAfter, nil
	}
	return endInside(p)
}

// certified reports whether a profile signs with a certificate of its own.
func certified(p profile.Profile) bool {
	return p.Method != profile.LacunaSigner && p.Certificate != nil
}

// endInside reads the certificate where it stands in the profile itself, so that one which never signed is told of too. Only
// its key knows which of several is its own; those of authorities come after it.
func endInside(p profile.Profile) (time.Time, error) {
	k := p.Certificate.Kms
	if p.Certificate.Source != profile.Kms || k == nil {
		return time.Time{}, nil
	}
	if _, _, elsewhere := profile.ObjectAt(k.Certificate); elsewhere {
		return time.Time{}, nil
	}
	all, err := profile.ParseCertificates([]byte(k.Certificate))
	if err != nil {
		return time.Time{}, err
	}
	return all[max(0, slices.IndexFunc(all, func(c *x509.Certificate) bool { return !c.IsCA }))].NotAfter, nil
}
