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
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"

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

// warn tells of context that no option has asked for: it may be misspelled, or somebody's own for other apps. What the CDK
// itself has there is not made of letters alone.
func warn(app awscdk.App, asked map[string]bool) {
	all, _ := app.Node().GetAllContext(nil).(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if optionForm.MatchString(key) && !asked[key] {
			fmt.Fprintf(os.Stderr, "context %s: there is no such option, so that it changes nothing; README.md lists them\n", key)
		}
	}
}

// optionForm is what the names of options look like.
var optionForm = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)

// run writes the cloud assembly to CDK_OUTDIR, which the CDK command line sets by itself.
func run(environ []string) error {
	if _, err := exec.LookPath("node"); err != nil {
		return errors.New("node is not on PATH: the CDK runs in it; install Node.js (package nodejs)")
	}
	app := awscdk.NewApp(nil)
	asked := map[string]bool{}
	options, err := ReadOptions(func(key string) any {
		asked[key] = true
		return app.Node().TryGetContext(&key)
	})
	if err != nil {
		return err
	}
	warn(app, asked)
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
