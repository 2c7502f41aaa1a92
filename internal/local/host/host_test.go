package host_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bulksigner/internal/local/emulator"
	"bulksigner/internal/local/host"
)

var (
	local     *emulator.Emulator
	bootstrap string
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "host")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bootstrap = filepath.Join(dir, "bootstrap")
	build := exec.Command("go", "build", "-tags", "lambda.norpc", "-o", bootstrap, "./testdata/fake")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the fake function: %v\n%s", err, out)
		return 1
	}
	local, err = emulator.Start(context.Background(), emulator.Options{Services: emulator.None})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer local.Close()
	return m.Run()
}

// start runs the fake function under a name of its own.
func start(t *testing.T, f host.Function) *host.Host {
	t.Helper()
	h, err := host.New(local.Config())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	f.Name, f.Bootstrap, f.MemoryMB = name(t), bootstrap, 256
	if f.Timeout == 0 {
		f.Timeout = time.Minute
	}
	f.Log = t.Output()
	if err := h.Start(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	return h
}

var names sync.Map

// name is the one name of a test's function and queue. kumo keeps what it has seen, so that a test which runs again needs
// another.
func name(t *testing.T) string {
	n, _ := names.LoadOrStore(t, strings.ReplaceAll(t.Name(), "/", "-")+"-"+rand.Text())
	return n.(string)
}

func ask(t *testing.T, h *host.Host, payload string) map[string]string {
	t.Helper()
	out, err := h.Invoke(t.Context(), name(t), []byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	var answer map[string]string
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatalf("answer %s: %v", out, err)
	}
	return answer
}

func TestAFunctionFindsItselfInLambda(t *testing.T) {
	t.Parallel()
	h := start(t, host.Function{Timeout: time.Minute, Env: []string{"TABLE_NAME=jobs"}})
	for variable, want := range map[string]string{
		"TABLE_NAME":                      "jobs",
		"AWS_LAMBDA_FUNCTION_NAME":        name(t),
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "256",
		"LAMBDA_TASK_ROOT":                filepath.Dir(bootstrap),
		"HOME":                            "", // of the shell, like everything else that Lambda does not set
	} {
		got := ask(t, h, fmt.Sprintf(`{"Name":%q}`, variable))
		if got["value"] != want {
			t.Errorf("%s = %q, want %q", variable, got["value"], want)
		}
		if want := "arn:aws:lambda:sa-east-1:000000000000:function:" + name(t); got["arn"] != want {
			t.Errorf("ARN = %q, want %q", got["arn"], want)
		}
		ms, err := strconv.ParseInt(got["deadline"], 10, 64)
		if left := time.Until(time.UnixMilli(ms)); err != nil || left < 50*time.Second || left > time.Minute {
			t.Errorf("deadline in %v (%v), want about a minute", left, err)
		}
	}
}

func TestInvocationsThatEndBadly(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, payload, want string
		timeout             time.Duration
	}{
		{"its own error", `{"Do":"fail"}`, "as asked", time.Minute},
		{"a panic", `{"Do":"panic"}`, "as asked", time.Minute},
		{"its death", `{"Do":"exit"}`, "Runtime.ExitError", time.Minute},
		{"its deadline", `{"Do":"hang"}`, "Sandbox.Timedout", time.Second},
		{"an answer that is too large", `{"Do":"big","Size":7000000}`, "Function.ResponseSizeTooLarge", time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := start(t, host.Function{Timeout: tt.timeout})
			began := time.Now()
			_, err := h.Invoke(t.Context(), name(t), []byte(tt.payload))
			failure, ok := errors.AsType[*host.FunctionError](err)
			if !ok || !strings.Contains(string(failure.Payload), tt.want) {
				t.Fatalf("err = %v, want a function error with %q", err, tt.want)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("it took %v to fail", took)
			}
			// Whatever happened, the next invocation meets a process.
			if got := ask(t, h, `{}`); got["pid"] == "" {
				t.Errorf("the next invocation got %v", got)
			}
		})
	}
}

func TestAProcessLivesUntilItDies(t *testing.T) {
	t.Parallel()
	h := start(t, host.Function{Processes: 1})
	first := ask(t, h, `{}`)["pid"]
	if again := ask(t, h, `{}`)["pid"]; again != first {
		t.Errorf("pid = %s, then %s, want one warm process", first, again)
	}
	if _, err := h.Invoke(t.Context(), name(t), []byte(`{"Do":"exit"}`)); err == nil {
		t.Error("the invocation of a dead process succeeded")
	}
	if after := ask(t, h, `{}`)["pid"]; after == first {
		t.Error("the dead process answered")
	}
}

func TestProcessesWorkSideBySide(t *testing.T) {
	t.Parallel()
	h := start(t, host.Function{Processes: 2, Timeout: 2 * time.Second})
	hung := make(chan error, 1)
	go func() {
		_, err := h.Invoke(context.Background(), name(t), []byte(`{"Do":"hang"}`))
		hung <- err
	}()
	for range 5 {
		ask(t, h, `{}`)
	}
	if err := <-hung; err == nil {
		t.Error("the hanging invocation succeeded")
	}
}

func TestAFunctionThatDiesAtItsStartIsNamed(t *testing.T) {
	t.Parallel()
	h, err := host.New(local.Config())
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	err = h.Start(ctx, host.Function{Name: name(t), Bootstrap: bootstrap, Timeout: time.Second, Env: []string{"FAKE_DIES_AT_START=1"}})
	if err == nil || !strings.Contains(err.Error(), "function "+name(t)+" does not ask for work") {
		t.Errorf("err = %v, want one that names the function", err)
	}
}

func TestARequestThatIsTooLargeIsNotSent(t *testing.T) {
	t.Parallel()
	h := start(t, host.Function{})
	_, err := h.Invoke(t.Context(), name(t), make([]byte, 7<<20))
	if !errors.Is(err, host.ErrTooLarge) {
		t.Errorf("err = %v, want %v", err, host.ErrTooLarge)
	}
}
