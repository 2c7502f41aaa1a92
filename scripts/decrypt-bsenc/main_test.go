package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"bulksigner/internal/bsenc"
)

const (
	password = "pão de açúcar, and no other"
	document = "%PDF-1.7 a document"
)

var (
	salt     = base64.StdEncoding.EncodeToString([]byte("sixteen bytes..."))
	envelope = sync.OnceValues(func() ([]byte, error) {
		key, err := bsenc.DeriveKey(password, []byte("sixteen bytes..."), bsenc.MinIterations)
		if err != nil {
			return nil, err
		}
		return bsenc.Seal(key, []byte(document))
	})
)

// desk is a folder with an envelope, and what a run in it has besides its arguments.
type desk struct {
	dir         string
	stdin       io.Reader
	environment map[string]string
	stderr      bytes.Buffer
}

// newDesk has everything that a run needs, in the environment.
func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{dir: t.TempDir(), stdin: strings.NewReader(""), environment: map[string]string{
		passwordVariable: password, saltVariable: salt, iterationsVariable: "10000",
	}}
	e, err := envelope()
	if err != nil {
		t.Fatal(err)
	}
	d.put(t, "a.pdf.enc", e)
	return d
}

func (d *desk) put(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, name), content, 0o644); err != nil {
		t.Fatal(err)
	}
}

func (d *desk) get(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (d *desk) names(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// run runs with arguments; in them ./ is the folder.
func (d *desk) run(ctx context.Context, args ...string) int {
	args = slices.Clone(args)
	for i, a := range args {
		if rest, ok := strings.CutPrefix(a, "./"); ok {
			args[i] = d.dir + "/" + rest
		}
	}
	getenv := func(name string) string { return d.environment[name] }
	return run(ctx, args, surroundings{getenv, d.stdin, &d.stderr})
}

func TestDocumentIsWritten(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		prepare func(*testing.T, *desk)
		args    []string
		out     string
	}{
		{"everything from the environment", nil, []string{"./a.pdf.enc"}, "a.pdf"},
		{"under another name", nil, []string{"-o", "./b.pdf", "./a.pdf.enc"}, "b.pdf"},
		{"salt and iterations in flags", func(_ *testing.T, d *desk) {
			d.environment[saltVariable], d.environment[iterationsVariable] = "bm90IHRoaXMgc2FsdCBhdCBhbGw=", "20000"
		}, []string{"-salt", salt, "-iterations", "10000", "./a.pdf.enc"}, "a.pdf"},
		{"password on standard input", func(_ *testing.T, d *desk) {
			d.environment[passwordVariable], d.stdin = "another", strings.NewReader(password)
		}, []string{"-password-file", "-", "./a.pdf.enc"}, "a.pdf"},
		{"password on a line", func(_ *testing.T, d *desk) {
			d.environment[passwordVariable], d.stdin = "", strings.NewReader(password+"\n")
		}, []string{"-password-file", "-", "./a.pdf.enc"}, "a.pdf"},
		{"password in a file of Windows", func(t *testing.T, d *desk) { d.put(t, "secret", []byte(password+"\r\n")) },
			[]string{"-password-file", "./secret", "./a.pdf.enc"}, "a.pdf"},
		{"in the place of a file", func(t *testing.T, d *desk) { d.put(t, "a.pdf", []byte("older")) }, []string{"-f", "./a.pdf.enc"}, "a.pdf"},
		{"in the place of none", nil, []string{"-f", "./a.pdf.enc"}, "a.pdf"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			if tt.prepare != nil {
				tt.prepare(t, d)
			}
			if code := d.run(t.Context(), tt.args...); code != done || d.stderr.Len() > 0 {
				t.Fatalf("run = %d, %q, want %d", code, &d.stderr, done)
			}
			if got := d.get(t, tt.out); got != document {
				t.Errorf("%s has %q, want %q", tt.out, got, document)
			}
			if info, err := os.Stat(filepath.Join(d.dir, tt.out)); err != nil || info.Mode() != 0o600 {
				t.Errorf("%s has mode %v, %v, want 0600", tt.out, info.Mode(), err)
			}
			if rest := slices.DeleteFunc(d.names(t), func(n string) bool { return n == "secret" }); len(rest) != 2 {
				t.Errorf("the folder has %v", rest)
			}
		})
	}
}

func TestNothingIsWritten(t *testing.T) {
	t.Parallel()
	put := func(name, content string) func(*testing.T, *desk) {
		return func(t *testing.T, d *desk) { d.put(t, name, []byte(content)) }
	}
	set := func(name, value string) func(*testing.T, *desk) {
		return func(_ *testing.T, d *desk) { d.environment[name] = value }
	}
	in := func(r io.Reader) func(*testing.T, *desk) { return func(_ *testing.T, d *desk) { d.stdin = r } }
	plain, stdin := []string{"./a.pdf.enc"}, []string{"-password-file", "-", "./a.pdf.enc"}
	tests := []struct {
		name    string
		prepare func(*testing.T, *desk)
		args    []string
		want    int
		says    string
	}{
		{"no envelope", put("a.pdf.enc", document+" that nobody has encrypted"), plain, format, "not a BSENC"},
		{"an empty file", put("a.pdf.enc", ""), plain, format, "not a BSENC"},
		{"another version", put("a.pdf.enc", "BSENC\x00\x00\x00\x02"+strings.Repeat("x", 99)), plain, format, "version is 2"},
		{"damage", put("a.pdf.enc", "BSENC\x00\x00\x00\x01"+strings.Repeat("x", 99)), plain, decryption, "does not open"},
		{"another password", set(passwordVariable, password+" "), plain, decryption, "does not open"},
		{"another salt", set(saltVariable, "bm90IHRoaXMgc2FsdCBhdCBhbGw="), plain, decryption, "does not open"},
		{"other iterations", nil, []string{"-iterations", "10001", "./a.pdf.enc"}, decryption, "does not open"},
		{"no arguments", nil, nil, otherwise, "want one file"},
		{"two files", nil, []string{"./a.pdf.enc", password}, otherwise, "want one file"},
		{"flags after the file", nil, []string{"./a.pdf.enc", "-f"}, otherwise, "want one file"},
		{"a flag that there is not", nil, []string{"-p", "./a.pdf.enc"}, otherwise, "-p"},
		{"help", nil, []string{"-h"}, done, "usage"},
		{"no password", set(passwordVariable, ""), plain, otherwise, passwordVariable},
		{"no salt", set(saltVariable, ""), plain, otherwise, saltVariable},
		{"a salt that is not base64", set(saltVariable, "*"), plain, otherwise, "not base64"},
		{"a short salt", set(saltVariable, "c2hvcnQ="), plain, otherwise, "5 bytes"},
		{"few iterations", set(iterationsVariable, "9999"), plain, otherwise, "9999"},
		{"iterations in words", set(iterationsVariable, "many"), plain, otherwise, "not a number"},
		{"no such file", nil, []string{"./b.pdf.enc"}, otherwise, "no such file"},
		{"a folder", nil, []string{"-o", "./b", "./"}, otherwise, "not a file"},
		{"a name without .enc", put("a", "x"), []string{"./a"}, otherwise, "-o"},
		{"the name .enc", put(".enc", "x"), []string{"./.enc"}, otherwise, "-o"},
		{"the name .enc, without a folder", nil, []string{".enc"}, otherwise, "-o"},
		{"no folder for the output", nil, []string{"-o", "./none/b", "./a.pdf.enc"}, otherwise, "none"},
		{"a taken name", put("a.pdf", "older"), plain, otherwise, "exists already"},
		{"the envelope's own name", nil, []string{"-o", "./a.pdf.enc", "-f", "./a.pdf.enc"}, otherwise, "another name"},
		{"no such password file", nil, []string{"-password-file", "./none", "./a.pdf.enc"}, otherwise, "no such file"},
		{"an empty password file", nil, stdin, otherwise, "password is empty"},
		{"a password file of two lines", in(strings.NewReader(password + "\n\n")), stdin, otherwise, "more than one line"},
		{"a password file without end", in(endless{}), stdin, otherwise, "longer than 4096"},
		{"a password file that breaks", in(iotest.ErrReader(errors.New("broken"))), stdin, otherwise, "broken"},
		{"a password that is not UTF-8", in(strings.NewReader("p\xe3o")), stdin, otherwise, "not UTF-8"},
		{"a file too large", func(t *testing.T, d *desk) {
			if err := os.Truncate(filepath.Join(d.dir, "a.pdf.enc"), maxEnvelope+1); err != nil { // a hole, not a gigabyte
				t.Fatal(err)
			}
		}, plain, otherwise, "more than 1073741861"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			if tt.prepare != nil {
				tt.prepare(t, d)
			}
			before := d.names(t)
			code := d.run(t.Context(), tt.args...)
			if code != tt.want || !strings.Contains(d.stderr.String(), tt.says) {
				t.Errorf("run = %d, %q, want %d and something about %q", code, &d.stderr, tt.want, tt.says)
			}
			if strings.Contains(d.stderr.String(), password) {
				t.Errorf("%q shows the password", &d.stderr)
			}
			if after := d.names(t); !slices.Equal(before, after) {
				t.Errorf("the folder has %v, want %v as before", after, before)
			}
		})
	}
}

func TestDefaultIterations(t *testing.T) {
	t.Parallel()
	getenv := func(string) string { return "" }
	o, err := parse([]string{"-salt", salt, "a.enc"}, surroundings{getenv, nil, io.Discard})
	if err != nil || o.iterations != bsenc.DefaultIterations {
		t.Errorf("parse = %d iterations, %v, want %d", o.iterations, err, bsenc.DefaultIterations)
	}
}

// endless never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, "x"), nil }

func TestTakenNameStays(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put(t, "a.pdf", []byte("older"))
	o := options{in: filepath.Join(d.dir, "a.pdf.enc"), out: filepath.Join(d.dir, "a.pdf")}
	for name, err := range map[string]error{
		"before the work": free(o),
		"after it":        write(t.Context(), o, []byte(document)), // as if the file had come in between
	} {
		if err == nil || d.get(t, "a.pdf") != "older" || len(d.names(t)) != 2 {
			t.Errorf("%s: %v, and the folder has %v, want an error and the older file", name, err, d.names(t))
		}
	}
}

func TestInterruptedRunLeavesNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := d.run(ctx, "./a.pdf.enc"); code != otherwise || !slices.Equal(d.names(t), []string{"a.pdf.enc"}) {
		t.Errorf("run = %d, and the folder has %v", code, d.names(t))
	}
}

func TestEmptyDocument(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	key, err := bsenc.DeriveKey(password, []byte("sixteen bytes..."), bsenc.MinIterations)
	if err != nil {
		t.Fatal(err)
	}
	empty, err := bsenc.Seal(key, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.put(t, "a.pdf.enc", empty)
	if code := d.run(t.Context(), "./a.pdf.enc"); code != done || d.get(t, "a.pdf") != "" {
		t.Errorf("run = %d, %q", code, &d.stderr)
	}
}
