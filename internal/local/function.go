package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Function is a function of the service and what wakes it.
type Function struct {
	Name      string
	Timeout   time.Duration
	MemoryMB  int
	Processes int

	Queue bool          // the work queue's messages
	HTTP  bool          // the REST API's requests
	Every time.Duration // a schedule, if not zero
}

// Functions lists the service's functions as the deployment has them, with few processes each: a machine has few cores.
func Functions() []Function {
	return []Function{
		{Name: "sign", Timeout: 300 * time.Second, MemoryMB: 512, Processes: signers, Queue: true},
		{Name: "recover", Timeout: 55 * time.Second, MemoryMB: 256, Processes: 1, Every: time.Minute},
		{Name: "api", Timeout: 29 * time.Second, MemoryMB: 512, Processes: 4, HTTP: true},
	}
}

// signers is also Pipeline:MaxConcurrency.
const signers = 4

// interval is the function's schedule, which a run may set.
func (f Function) interval(o Options) time.Duration {
	if f.Every > 0 && o.RecoverEvery > 0 {
		return o.RecoverEvery
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
