package judge

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"bulksigner/internal/profile"
	"bulksigner/scripts/conformance/said"
)

// A peer is a library under a small program of ours in peers/, which is started once for all cases. It is given the trust
// anchor's file as its last argument and a line for each case: number, format, signed file, original, content or "-",
// SHA-256 of the signer's certificate; with tabs between them. It answers with a line each, see said.Answers.
type peer struct {
	env     *Env
	command func(ctx context.Context) (*exec.Cmd, error)
}

const getPeers = "scripts/conformance/peers/get.sh"

func (e *Env) peers() []*Judge {
	all := []profile.Format{profile.Pades, profile.Cades, profile.Xades}
	pdfcpu := &peer{e, e.goPeer("pdfcpu")}
	pkcs7 := &peer{e, e.goPeer("pkcs7")}
	python := &peer{e, e.pyHanko}
	dss := &peer{e, e.dss}
	const modules = "go mod download, in scripts/conformance/peers"
	return []*Judge{
		{Name: "pdfcpu", Formats: pades, Package: modules, Outside: true, Maths: true, Find: pdfcpu.version, Batch: pdfcpu.judge},
		{Name: "pkcs7", Formats: []profile.Format{profile.Cades}, Package: modules, Outside: true, Maths: true, Find: pkcs7.version, Batch: pkcs7.judge},
		{Name: "pyHanko", Formats: []profile.Format{profile.Pades, profile.Cades}, Package: getPeers, Outside: true, Maths: true,
			Find: python.version, Batch: python.judge},
		{Name: "EU DSS", Formats: all, Package: getPeers, Outside: true, Maths: true, Find: dss.version, Batch: dss.judge},
	}
}

// goPeer builds the program on Go libraries, which is a module of its own.
func (e *Env) goPeer(name string) func(context.Context) (*exec.Cmd, error) {
	return func(ctx context.Context) (*exec.Cmd, error) {
		binary := filepath.Join(e.Dir, "peer-"+name)
		build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./"+name)
		build.Dir = filepath.Join(e.Module, "scripts", "conformance", "peers")
		text, ok, err := finish(ctx, build)
		if err == nil && !ok {
			err = fmt.Errorf("go build: %s", said.First(text))
		}
		if err != nil {
			return nil, err
		}
		return exec.CommandContext(ctx, binary), nil
	}
}

// pyHanko needs a Python that has it: the tools' own, or else the one on the path.
func (e *Env) pyHanko(ctx context.Context) (*exec.Cmd, error) {
	python := filepath.Join(e.Tools, "bin", "python")
	if _, err := os.Stat(python); err != nil {
		python = "python3"
	}
	return exec.CommandContext(ctx, python, "-I", filepath.Join(e.Module, "scripts", "conformance", "peers", "pyhanko_peer.py")), nil
}

func (e *Env) dss(ctx context.Context) (*exec.Cmd, error) {
	libraries := filepath.Join(e.Tools, "dss")
	if jars, err := filepath.Glob(filepath.Join(libraries, "dss-pades-*.jar")); err != nil || len(jars) == 0 {
		return nil, errors.New("its libraries are not there")
	}
	source := filepath.Join(e.Module, "scripts", "conformance", "peers", "DssPeer.java")
	return exec.CommandContext(ctx, "java", "-Xshare:auto", "-XX:+UseSerialGC", "-Xmx512m", "-cp", filepath.Join(libraries, "*"), source), nil
}

// version asks the program for the version of its library, for which that must be there.
func (p *peer) version(ctx context.Context) (string, error) {
	cmd, err := p.command(ctx)
	if err != nil {
		return "", err
	}
	cmd.Args = append(cmd.Args, "--version")
	text, ok, err := finish(ctx, cmd)
	if err == nil && !ok {
		err = errors.New(said.First(text))
	}
	return strings.TrimSpace(text), err
}

func (p *peer) judge(ctx context.Context, cases []*Case) []error {
	ctx, cancel := context.WithTimeout(ctx, patience4)
	defer cancel()
	cmd, err := p.command(ctx)
	if err != nil {
		return failAll(cases, err)
	}
	cmd.Args = append(cmd.Args, p.env.RootFile)
	cmd.Stdin = strings.NewReader(requests(cases))
	text, _, err := finish(ctx, cmd)
	if err != nil {
		return failAll(cases, err)
	}
	answers := said.Answers(text)
	errs := make([]error, len(cases))
	for i, c := range cases {
		a, ok := answers[c.ID]
		switch {
		case !ok:
			errs[i] = fmt.Errorf("no answer: %s", said.First(text))
		case a.Unable:
			errs[i] = Unable{a.Why}
		case !a.Valid:
			errs[i] = errors.New(a.Why)
		}
	}
	return errs
}

func requests(cases []*Case) string {
	var b strings.Builder
	for _, c := range cases {
		content := c.Content
		if content == "" {
			content = "-"
		}
		fmt.Fprintf(&b, "%d\t%s\t%s\t%s\t%s\t%x\n", c.ID, c.Format, c.Signed, c.Original, content, sha256.Sum256(c.Certificate.Raw))
	}
	return b.String()
}
