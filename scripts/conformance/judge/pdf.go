package judge

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"bulksigner/internal/profile"
	"bulksigner/scripts/conformance/said"
)

var pades = []profile.Format{profile.Pades}

func (e *Env) pdfJudges() []*Judge {
	store := sync.OnceValues(e.trustStore)
	s := &pdfsig{env: e, store: store}
	return []*Judge{
		{Name: "pdfsig", Formats: pades, Package: "apt-get install poppler-utils libnss3-tools", Outside: true, Maths: true,
			Find: installed("-v", "pdfsig", "certutil"), Each: s.judge},
		{Name: "mutool", Formats: pades, Package: "apt-get install mupdf-tools", Outside: true, Maths: true,
			Find: installed("-v", "mutool"), Each: (&mutool{}).judge},
		{Name: "qpdf", Formats: pades, Package: "apt-get install qpdf", Outside: true,
			Find: installed("--version", "qpdf"), Each: (&qpdf{}).judge},
	}
}

// trustStore makes the store that pdfsig takes its anchors from.
func (e *Env) trustStore() (string, error) {
	dir := filepath.Join(e.Dir, "nss")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	for _, args := range [][]string{
		{"-N", "-d", dir, "--empty-password"},
		{"-A", "-d", dir, "-n", "root", "-t", "C,C,C", "-i", e.RootFile},
	} {
		if err := do(context.Background(), "certutil", args...); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// pdfsig judges bytes, maths, chain and coverage.
type pdfsig struct {
	env    *Env
	store  func() (string, error)
	before before[[]said.Signature]
}

func (p *pdfsig) ask(ctx context.Context, file string) ([]said.Signature, error) {
	store, err := p.store()
	if err != nil {
		return nil, err
	}
	text, _, err := run(ctx, "pdfsig", "-nssdir", store, "-no-ocsp", file) // its exit code says nothing
	return said.PDFSig(text), err
}

func (p *pdfsig) judge(ctx context.Context, c *Case) error {
	then, err := p.before.of(c.Original, func() ([]said.Signature, error) { return p.ask(ctx, c.Original) })
	if err != nil {
		return err
	}
	now, err := p.ask(ctx, c.Signed)
	if err != nil {
		return err
	}
	if got, want := valid(now), valid(then)+1; len(now) != len(then)+1 || got != want {
		return fmt.Errorf("%d of %d signatures are valid, want %d of %d", got, len(now), want, len(then)+1)
	}
	s, err := newest(now)
	switch {
	case err != nil:
		return err
	case !s.Valid || !s.Trusted:
		return fmt.Errorf("the new signature: valid %t, trusted %t", s.Valid, s.Trusted)
	case s.Type != "ETSI.CAdES.detached":
		return fmt.Errorf("the new signature is of type %s", s.Type)
	case s.Digest != c.Hash.String():
		return fmt.Errorf("the new signature's digest is %s", s.Digest)
	}
	return nil
}

// newest is the signature that covers the whole document. Where it stands in the form says nothing.
func newest(all []said.Signature) (s said.Signature, err error) {
	whole := 0
	for _, one := range all {
		if one.Whole {
			s = one
			whole++
		}
	}
	if whole != 1 {
		return s, fmt.Errorf("%d signatures cover the whole document, want 1", whole)
	}
	return s, nil
}

func valid(all []said.Signature) (n int) {
	for _, s := range all {
		if s.Valid {
			n++
		}
	}
	return n
}

// mutool judges bytes, maths and coverage. It knows no anchors.
type mutool struct{ before before[said.Opinions] }

func (m *mutool) ask(ctx context.Context, file string) (said.Opinions, error) {
	text, _, err := run(ctx, "mutool", "sign", "-v", file) // its exit code says nothing
	return said.MuTool(text), err
}

func (m *mutool) judge(ctx context.Context, c *Case) error {
	then, err := m.before.of(c.Original, func() (said.Opinions, error) { return m.ask(ctx, c.Original) })
	if err != nil {
		return err
	}
	now, err := m.ask(ctx, c.Signed)
	if err != nil {
		return err
	}
	// What it said of a damaged end of the file goes away when that end is no longer the end.
	want := said.Opinions{Unchanged: 1, Edited: then.Unchanged + then.Edited, Other: then.Other}
	if now.Unchanged != want.Unchanged || now.Edited != want.Edited || now.Other > want.Other {
		return fmt.Errorf("%d signatures unchanged, %d edited, %d other; want %d, %d, %d",
			now.Unchanged, now.Edited, now.Other, want.Unchanged, want.Edited, want.Other)
	}
	return nil
}

// qpdf judges structure.
type qpdf struct{ before before[[]string] }

func (q *qpdf) ask(ctx context.Context, file string) ([]string, error) {
	text, _, err := run(ctx, "qpdf", "--check", file) // an old complaint makes it fail, before and after
	return said.QPDF(text, file), err
}

func (q *qpdf) judge(ctx context.Context, c *Case) error {
	then, err := q.before.of(c.Original, func() ([]string, error) { return q.ask(ctx, c.Original) })
	if err != nil {
		return err
	}
	now, err := q.ask(ctx, c.Signed)
	if err != nil {
		return err
	}
	if news := said.News(then, now); len(news) > 0 {
		return errors.New(news[0])
	}
	return nil
}

// message takes the signature out of a PDF, with the bytes that it signs, by the ranges that pdfsig names.
func (e *Env) message(ctx context.Context, c *Case) (signature, content string, err error) {
	text, _, err := run(ctx, "pdfsig", "-nocert", "-no-ocsp", c.Signed)
	if err != nil {
		return "", "", err
	}
	s, err := newest(said.PDFSig(text))
	if err != nil {
		return "", "", err
	}
	signature, content = e.file(c, "cms"), e.file(c, "content")
	return signature, content, cut(c.Signed, s.Ranges, signature, content)
}

// cut writes what lies between the ranges, which is hexadecimal, and what lies in them.
func cut(file string, r [3]int64, signature, content string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	out, err := os.Create(content)
	if err != nil {
		return err
	}
	err = errors.Join(part(out, f, 0, r[0]), part(out, f, r[1], r[2]), out.Close())
	if err != nil {
		return err
	}
	if r[1]-r[0] < 4 || r[1]-r[0] > maxOutput {
		return fmt.Errorf("there is no room for a signature between %d and %d", r[0], r[1])
	}
	gap, err := io.ReadAll(io.NewSectionReader(f, r[0]+1, r[1]-r[0]-2))
	if err != nil {
		return err
	}
	n, err := hex.Decode(gap, gap)
	if err != nil {
		return err
	}
	return os.WriteFile(signature, gap[:n], 0o600)
}

// file names a file of a case.
func (e *Env) file(c *Case, kind string) string {
	return filepath.Join(e.Dir, fmt.Sprintf("%d.%s", c.ID, kind))
}
