package main

import (
	"archive/zip"
	"bytes"
	"debug/buildinfo"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const testVersion = "v9.8.7-of-the-test"

// built is a release of one function in a folder of its own.
func built(t *testing.T) (r release, work string) {
	t.Helper()
	root, err := moduleRoot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, work = release{version: testVersion, functions: []string{"notify"}, root: root, out: t.TempDir()}, t.TempDir()
	if err := r.program(t.Context(), work, "notify"); err != nil {
		t.Fatal(err)
	}
	return r, work
}

// TestTheSameSourcesMakeTheSameBytes builds one function twice, in other folders and with other settings of Go.
func TestTheSameSourcesMakeTheSameBytes(t *testing.T) {
	first, work := built(t)
	t.Setenv("GOFLAGS", "-buildvcs=true -tags=somebodys")
	t.Setenv("GOARM64", "v8.2")
	own := filepath.Join(t.TempDir(), "env") // what go env -w writes
	write(t, own, "GOFLAGS=-gcflags=-N\nGOFIPS140=latest\n")
	t.Setenv("GOENV", own)
	second, _ := built(t)
	name := "bulksigner-" + testVersion + "-notify.zip"
	a, b := read(t, filepath.Join(first.out, name)), read(t, filepath.Join(second.out, name))
	if !bytes.Equal(a, b) {
		t.Errorf("two builds have %d and %d bytes, and differ", len(a), len(b))
	}
	z, err := zip.NewReader(bytes.NewReader(a), int64(len(a)))
	if err != nil || len(z.File) != 1 || z.File[0].Name != "bootstrap" || z.File[0].Mode() != 0o755 || !z.File[0].Modified.Equal(packed) {
		t.Fatalf("the zip file is not one bootstrap: %v", err)
	}
	in, err := z.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	program, err := io.ReadAll(in)
	if err != nil || !bytes.Contains(program, []byte(testVersion)) {
		t.Errorf("the program does not know its version: %v", err)
	}
	if bytes.Contains(program, []byte(first.root)) {
		t.Errorf("the program names the folder that it was built in")
	}
	checkInfo(t, program)
	if err := first.notice(t.Context(), work); err != nil {
		t.Fatal(err)
	}
	if text := string(read(t, filepath.Join(first.out, noticeFile))); !strings.Contains(text, "Go and its standard library, LICENSE") || !strings.Contains(text, "github.com/aws/aws-sdk-go-v2@") {
		t.Errorf("the notice lacks licences: %d bytes", len(text))
	}
}

func checkInfo(t *testing.T, program []byte) {
	t.Helper()
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range info.Settings {
		got[s.Key] = s.Value
	}
	for key, want := range map[string]string{"GOOS": "linux", "GOARCH": "arm64", "CGO_ENABLED": "0", "GOARM64": "v8.0", "-tags": "lambda.norpc", "-trimpath": "true"} {
		if got[key] != want {
			t.Errorf("it is built with %s = %q, want %q", key, got[key], want)
		}
	}
	if got["vcs.revision"] != "" {
		t.Error("the state of the working tree is in the program")
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// What a file was called here, when it was written and in which order it was given does not matter to a zip file.
func TestAZipFileDependsOnItsContentsAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d"} {
		write(t, filepath.Join(dir, name), strings.Repeat(string("xyxy"[name[0]-'a']), 1000))
	}
	if err := os.Chtimes(filepath.Join(dir, "c"), time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	one := []member{{"bootstrap", at("a"), 0o755}, {"settings.json", at("b"), 0o644}}
	two := []member{{"settings.json", at("d"), 0o644}, {"bootstrap", at("c"), 0o755}}
	other := []member{{"bootstrap", at("a"), 0o755}, {"settings.json", at("a"), 0o644}}
	for name, members := range map[string][]member{"one.zip": one, "two.zip": two, "other.zip": other} {
		if err := pack(at(name), members); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(read(t, at("one.zip")), read(t, at("two.zip"))) {
		t.Error("the same contents make other bytes")
	}
	if bytes.Equal(read(t, at("one.zip")), read(t, at("other.zip"))) {
		t.Error("other contents make the same bytes")
	}
	if err := pack(at("one.zip"), one); !errors.Is(err, os.ErrExist) {
		t.Errorf("a file that is there is written over: %v", err)
	}
}

func TestSumsAreOfAllFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "b"), "")
	write(t, filepath.Join(dir, "a"), "abc")
	if err := sumUp(dir); err != nil {
		t.Fatal(err)
	}
	want := "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n" +
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  b\n"
	if got := string(read(t, filepath.Join(dir, sums))); got != want {
		t.Errorf("sums are\n%s, want\n%s", got, want)
	}
}

func TestWhatWasFoundIsToldFromALookThatFailed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		err   error
		found bool
		fails bool
	}{
		{"nothing is known", nil, false, false},
		{"a vulnerability", toolError{"Vulnerability #1: GO-2026-1\nexit status 3\n", errors.New("exit status 1")}, true, false},
		{"no database", toolError{"govulncheck: fetching vulnerabilities: dial tcp\nexit status 1\n", errors.New("exit status 1")}, false, true},
		{"no tool", errors.New("no go"), false, true},
	}
	for _, tt := range tests {
		if found, err := judge(tt.err); (found != "") != tt.found || (err != nil) != tt.fails {
			t.Errorf("%s: judge = %q, %v", tt.name, found, err)
		}
	}
}

// A release that was not checked says so where it is read, and is none where nothing may be skipped.
func TestAReleaseWithoutItsChecksSaysSo(t *testing.T) {
	t.Parallel()
	r := release{out: t.TempDir(), version: testVersion}
	missing := []string{"sign was not searched for known vulnerabilities: no network"}
	if err := r.write([]string{"api: no known vulnerabilities"}, missing); err != nil {
		t.Fatal(err)
	}
	if got := string(read(t, filepath.Join(r.out, checksFile))); !strings.Contains(got, "NOT CHECKED: sign was not searched") {
		t.Errorf("%s says %q", checksFile, got)
	}
	if err := r.tell(missing); err != nil {
		t.Errorf("tell = %v", err)
	}
	r.strict = true
	if err := r.tell(missing); err == nil {
		t.Error("a release without its checks is one, where nothing may be skipped")
	}
	if err := r.tell(nil); err != nil {
		t.Errorf("tell = %v", err)
	}
}

func TestAVersionIsOneWord(t *testing.T) {
	t.Parallel()
	for version, good := range map[string]bool{"v1.2.3": true, "ed29acf-dirty": true, "": false, "-X a": false, "../v1": false, "v1 -X b=c": false} {
		if got := versionForm.MatchString(version); got != good {
			t.Errorf("%q is a version: %t", version, got)
		}
	}
}

func TestAModuleWithoutALicenceIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "license.go"), "package x")
	var b strings.Builder
	if err := addLicences(&b, "x", dir); err == nil {
		t.Error("a file of Go is a licence")
	}
	write(t, filepath.Join(dir, "LICENSE.md"), "free")
	if err := addLicences(&b, "x", dir); err != nil || !strings.Contains(b.String(), "free") {
		t.Errorf("a licence is not found: %v", err)
	}
}
