package table_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"testing"
	"time"
)

// Overtaking: moto compares and writes in two steps, so that its threads overtake each other. Nothing runs at once on it,
// and tests of many writers are for the other backend alone.

// motoServer runs moto_server for the tests that ask for it, on a port that it chooses.
type motoServer struct {
	alone   sync.Mutex // held by the test that uses the server
	once    sync.Once
	command *exec.Cmd
	address string
	err     error
}

// url starts the server if nobody has yet.
func (m *motoServer) url(t *testing.T) string {
	t.Helper()
	m.once.Do(m.start)
	if errors.Is(m.err, exec.ErrNotFound) && os.Getenv("BULKSIGNER_NO_SKIP") != "1" {
		t.Skip(`moto_server is not installed: pip install "moto[server]"`)
	}
	if m.err != nil {
		t.Fatalf("start moto_server: %v", m.err)
	}
	return m.address
}

func (m *motoServer) start() {
	path, err := exec.LookPath("moto_server")
	if err != nil {
		m.err = err
		return
	}
	cmd := exec.Command(path, "-H", "127.0.0.1", "-p", "0")
	cmd.WaitDelay = 5 * time.Second
	log, err := cmd.StderrPipe()
	if err != nil {
		m.err = err
		return
	}
	if m.err = cmd.Start(); m.err != nil {
		return
	}
	m.command = cmd
	m.address, m.err = announced(log)
}

var running = regexp.MustCompile(`Running on (http://[0-9.:]+)`)

// announced reads where the server says that it runs, and then its log, so that it never waits for a reader.
func announced(log io.Reader) (string, error) {
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if m := running.FindStringSubmatch(lines.Text()); m != nil {
			go io.Copy(io.Discard, log) // ends with the server
			return m[1], nil
		}
	}
	return "", fmt.Errorf("it ended before it ran: %w", lines.Err())
}

// stop ends the server, if there is one.
func (m *motoServer) stop() error {
	if m.command == nil {
		return nil
	}
	if err := m.command.Process.Kill(); err != nil {
		return fmt.Errorf("stop moto_server: %w", err)
	}
	if err := m.command.Wait(); err != nil {
		if _, killed := errors.AsType[*exec.ExitError](err); !killed {
			return fmt.Errorf("wait for moto_server: %w", err)
		}
	}
	return nil
}
