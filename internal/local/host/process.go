package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

const (
	region  = "sa-east-1"
	account = "000000000000"
)

// process is one execution environment: a running binary, and the invocation that it has in hand.
type process struct {
	*worker
	id string // its address at the watch

	mu      sync.Mutex
	os      *os.Process
	asked   bool        // it has asked for work
	gone    bool        // it has ended
	late    bool        // it was killed at a deadline
	request string      // the invocation in hand, or ""
	timer   *time.Timer // kills it at its deadline
}

// run runs the binary to its end and fails the invocation that it leaves behind.
func (p *process) run(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, p.Bootstrap)
	cmd.Dir = filepath.Dir(p.Bootstrap)
	cmd.Env = p.environment()
	cmd.Stdout, cmd.Stderr = p.Log, p.Log
	cmd.WaitDelay = time.Second // a grandchild that holds the pipes open must not hold us
	// A group of its own: Ctrl-C in a terminal is for the run, which then ends its functions itself.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return kill(cmd.Process) }
	if err := p.start(cmd); err != nil {
		return fmt.Errorf("start %s: %w", p.Name, err)
	}
	err := cmd.Wait()
	p.abandon(err)
	return err
}

// start holds the lock, so that no invocation is begun before the process is known.
func (p *process) start(cmd *exec.Cmd) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	p.os = cmd.Process
	return nil
}

// environment is what Lambda gives, and nothing of the shell's: an AWS_PROFILE there must not reach a function here.
func (p *process) environment() []string {
	return append([]string{
		"AWS_LAMBDA_RUNTIME_API=" + p.watch.addr + "/" + p.id,
		"AWS_LAMBDA_FUNCTION_NAME=" + p.Name,
		"AWS_LAMBDA_FUNCTION_VERSION=$LATEST",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE=" + strconv.Itoa(p.MemoryMB),
		"AWS_LAMBDA_INITIALIZATION_TYPE=on-demand",
		"AWS_EXECUTION_ENV=AWS_Lambda_provided.al2023",
		"LAMBDA_TASK_ROOT=" + filepath.Dir(p.Bootstrap),
		"_HANDLER=bootstrap",
		"TZ=:UTC",
		"PATH=/usr/local/bin:/usr/bin:/bin",
		"TMPDIR=" + os.TempDir(),
	}, p.Env...)
}

// begin notes an invocation and returns its deadline. It reports false if the process ended in the meantime.
func (p *process) begin(id string) (time.Time, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return time.Time{}, false
	}
	p.request = id
	p.timer = time.AfterFunc(p.Timeout, func() { p.expire(id) })
	return time.Now().Add(p.Timeout), true
}

// end notes an answer. It reports false if that invocation is no longer in hand.
func (p *process) end(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.request != id || id == "" || p.late || p.gone {
		return false
	}
	p.timer.Stop()
	p.request = ""
	return true
}

// expire kills the process whose invocation is still in hand at its deadline.
func (p *process) expire(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.request != id || p.gone {
		return
	}
	p.late = true
	if err := kill(p.os); err != nil {
		slog.Error("function process could not be killed", "function", p.Name, "err", err)
	}
}

// abandon fails the invocation that a process left behind.
func (p *process) abandon(cause error) {
	p.mu.Lock()
	p.gone = true
	id, late := p.request, p.late
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Unlock()
	switch {
	case id == "":
	case late:
		p.watch.fail(p.Name, id, "Sandbox.Timedout", fmt.Sprintf("Task timed out after %.2f seconds", p.Timeout.Seconds()))
	default:
		p.watch.fail(p.Name, id, "Runtime.ExitError", fmt.Sprintf("Runtime exited with error: %v", cause))
	}
}

// asks notes that the process wants work.
func (p *process) asks() {
	p.mu.Lock()
	p.asked = true
	p.mu.Unlock()
	p.isReady()
}

func (p *process) hasAsked() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// kill ends a process and those that it started.
func kill(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}
