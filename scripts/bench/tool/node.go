package tool

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"bulksigner/scripts/bench/identity"
	"bulksigner/scripts/bench/race"
)

//go:embed sign.cjs
var script []byte

// Packages are what the script needs from npm.
var Packages = []string{
	"@signpdf/signpdf@3.3.0", "@signpdf/signer-p12@3.3.0", "@signpdf/placeholder-plain@3.3.0", "@signpdf/utils@3.3.0", "node-forge@1.4.0",
}

// maxAnswer bounds a line of the script's.
const maxAnswer = 64 << 10

// WriteScript puts the script into a folder.
func WriteScript(dir string) error {
	return os.WriteFile(filepath.Join(dir, "sign.cjs"), script, 0o600)
}

// Install puts the script and its packages into a folder.
func Install(ctx context.Context, dir string) error {
	if err := WriteScript(dir); err != nil {
		return err
	}
	_, err := append(Command{"npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"}, Packages...).run(ctx, dir)
	return err
}

// Node is a process that signs with @signpdf for as long as it is asked to, so that its start is not counted and what it
// compiles on the way stays compiled.
type Node struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err tail
	end func() error // ends the process and waits for it, once
}

// Start starts the process in a folder that has been installed. Close ends it.
func Start(ctx context.Context, dir string, id identity.Identity) (*Node, error) {
	at := id.Certificate.NotBefore.AddDate(0, 0, 1).Format(time.RFC3339)
	n := &Node{cmd: exec.CommandContext(ctx, "node", "sign.cjs", id.File(identity.PKCS12File), identity.Password, at)}
	n.cmd.Dir, n.cmd.Stderr = dir, &n.err
	var err error
	if n.in, err = n.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := n.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	n.out = bufio.NewReaderSize(out, maxAnswer)
	n.end = sync.OnceValue(func() error { return errors.Join(n.in.Close(), n.cmd.Wait()) })
	return n, n.cmd.Start()
}

// Close ends the process and waits for it.
func (n *Node) Close() error { return n.end() }

type request struct {
	In    string `json:"in,omitempty"`
	Out   string `json:"out,omitempty"`
	Times int    `json:"times,omitempty"`
	Peak  bool   `json:"peak,omitempty"`
}

type answer struct {
	Nanoseconds int64  `json:"nanoseconds"`
	Peak        int64  `json:"peak"`
	Error       string `json:"error"`
}

func (n *Node) ask(r request) (a answer, err error) {
	if err := json.NewEncoder(n.in).Encode(r); err != nil {
		return a, n.broken("ask", err)
	}
	line, err := n.out.ReadSlice('\n')
	if err != nil {
		return a, n.broken("hear", err)
	}
	if err := json.NewDecoder(bytes.NewReader(line)).Decode(&a); err != nil {
		return a, fmt.Errorf("understand node: %w", err)
	}
	if a.Error != "" {
		return a, errors.New("node: " + a.Error)
	}
	return a, nil
}

// broken ends a process that does not talk any more, and tells its last words.
func (n *Node) broken(what string, err error) error {
	err = errors.Join(fmt.Errorf("%s node: %w", what, err), n.end())
	return fmt.Errorf("%w: %s", err, strings.TrimSpace(n.err.String()))
}

// Timed returns what signs the same file over and over.
func (n *Node) Timed(in, out string) func(ctx context.Context, times int) (time.Duration, error) {
	return func(_ context.Context, times int) (time.Duration, error) {
		a, err := n.ask(request{In: in, Out: out, Times: times})
		return time.Duration(a.Nanoseconds), err
	}
}

// Peak signs a file and returns what memory that needed. It makes sense in a process that has not signed before.
func (n *Node) Peak(in, out string) (race.Peak, error) {
	before, err := n.ask(request{Peak: true})
	if err != nil {
		return race.Peak{}, err
	}
	if _, err := n.ask(request{In: in, Out: out, Times: 1}); err != nil {
		return race.Peak{}, err
	}
	after, err := n.ask(request{Peak: true})
	return race.Peak{Idle: before.Peak, Most: after.Peak}, err
}
