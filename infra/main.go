// Command infra is the CDK app that deploys the service: buckets, queues, table, functions, schedules and the HTTP API, in
// one stack.
//
// It reads the settings file at synthesis, with the validator that the functions use, so that a half-written settings file
// stops the deployment and not the service; what it checked is what it bundles with each function. It promises roles that
// name every resource, and a template that passes the AwsSolutions rules. The programs themselves are built before: one
// folder per function, with a file named bootstrap in it.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
)

func main() {
	err := run(os.Environ())
	jsii.Close()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run writes the cloud assembly to CDK_OUTDIR, which the CDK command line sets by itself.
func run(environ []string) error {
	if _, err := exec.LookPath("node"); err != nil {
		return errors.New("node is not on PATH: the CDK runs in it; install Node.js (package nodejs)")
	}
	app := awscdk.NewApp(nil)
	options, err := ReadOptions(func(key string) any { return app.Node().TryGetContext(&key) })
	if err != nil {
		return err
	}
	config, err := Load(options, environ)
	if err != nil {
		return err
	}
	if err := Bundle(config); err != nil {
		return err
	}
	NewStack(app, config)
	Review(app)
	return report(app.Synth(nil))
}
