package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"bulksigner/internal/local/host"
)

// Function is a function of the service and what wakes it.
type Function struct {
	Name      string
	Timeout   time.Duration
	MemoryMB  int
	Processes int

	Source Source        // the queue whose messages wake it, if any
	Route  string        // the route of the HTTP front that it serves, if any
	Every  time.Duration // a schedule, if not zero
	Checks bool          // it is told of the checks queue
	Dead   bool          // it is told of the queues for dead letters, and where those go back to
}

// Source is a queue that wakes a function.
type Source struct {
	Queue    string // "": none
	Batch    int32  // the most messages of an invocation
	Parallel int    // the most invocations at a time
}

// signers is also Pipeline:MaxConcurrency.
const signers = 4

// Time-outs on which a queue depends, too.
const (
	signTimeout  = 300 * time.Second
	roundTimeout = 75 * time.Second // of those that go round Lacuna Signer
)

// notificationsPath is where Lacuna Signer sends its notifications.
const notificationsPath = "/api/signer/notifications"

// Functions lists the service's functions as the deployment has them, with few processes each: a machine has few cores.
func Functions() []Function {
	return []Function{
		{Name: "sign", Timeout: signTimeout, MemoryMB: 512, Processes: signers, Source: Source{workQueue, 1, signers}},
		{Name: "poll", Timeout: roundTimeout, MemoryMB: 256, Processes: 1, Every: time.Minute},
		{Name: "sweep", Timeout: roundTimeout, MemoryMB: 256, Processes: 3, Every: time.Minute, Source: Source{checksQueue, 10, 2}, Checks: true},
		{Name: "recover", Timeout: 55 * time.Second, MemoryMB: 256, Processes: 1, Every: time.Minute},
		{Name: "api", Timeout: 29 * time.Second, MemoryMB: 512, Processes: 4, Route: host.DefaultRoute, Dead: true},
		{Name: "notify", Timeout: 20 * time.Second, MemoryMB: 256, Processes: 2, Route: "POST " + notificationsPath, Checks: true},
	}
}

// interval is the function's schedule, which a run may set.
func (f Function) interval(o Options) time.Duration {
	if f.Every > 0 && o.Every > 0 {
		return o.Every
	}
	return f.Every
}

// Build makes the binary of a function at a path.
type Build func(ctx context.Context, function, path string) error

// GoBuild compiles functions/<function> of the module in the working directory as it is compiled for deployment, but for
// this machine.
func GoBuild(ctx context.Context, function, path string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", "lambda.norpc", "-ldflags", "-s -w",
		"-o", path, "bulksigner/functions/"+function)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		return errors.Join(err, fmt.Errorf("%s", bytes.TrimSpace(output.Bytes())))
	}
	return nil
}
