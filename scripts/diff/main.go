// Command diff says in words what a deployment would change: resources that would be added, changed, replaced or removed,
// and in capitals whether data would be lost; what each function may do that it may not do now; alarms and schedules.
//
// It compares two templates, the second being the synthesized one. The first is a file, so that no account is needed, or
// what a stack was deployed from. It writes nothing anywhere.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// options are what the command line asks for.
type options struct {
	old, new, stack string
	assembly        string
	stop            bool   // fail if data would be lost
	left            bool   // say what stays when the stack is removed, instead
	ready           bool   // say whether there are credentials, instead
	name            bool   // say what the stack is called, instead
	context         string // file of the CDK: write the context of a synthesis, instead
	args            []string
}

func main() {
	var o options
	flag.StringVar(&o.assembly, "assembly", "infra/cdk.out", "folder with what was synthesized")
	flag.StringVar(&o.old, "old", "", "file with the template that is deployed; without it, that of the stack is read")
	flag.StringVar(&o.new, "new", "", "file with the synthesized template; without it, that of the assembly")
	flag.StringVar(&o.stack, "stack", "", "name of the stack; without it, that of the assembly")
	flag.BoolVar(&o.stop, "stop", false, "fail if the table, a bucket or a key would be lost or replaced")
	flag.BoolVar(&o.left, "left", false, "say what stays in the account when the stack is removed")
	flag.BoolVar(&o.ready, "ready", false, "only look whether there are credentials and a region")
	flag.BoolVar(&o.name, "name", false, "only say what the stack is called")
	flag.StringVar(&o.context, "context", "", "only write the context of a synthesis, from this file of the CDK and the arguments -c key=value")
	flag.Parse()
	o.args = flag.Args()
	if err := run(context.Background(), o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "diff:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, w io.Writer) error {
	switch {
	case o.context != "":
		all, err := contextOf(o.context, os.Getenv("CDK_CONTEXT_JSON"), o.args)
		if err == nil {
			_, err = fmt.Fprintf(w, "%s\n", all)
		}
		return err
	case o.ready:
		_, err := connect(ctx)
		return err
	}
	if err := o.complete(); err != nil {
		return err
	}
	switch {
	case o.name:
		_, err := fmt.Fprintln(w, o.stack)
		return err
	case o.left:
		return left(ctx, o, w)
	}
	return diff(ctx, o, w)
}

// complete takes from the assembly what was not given.
func (o *options) complete() error {
	if o.stack != "" && (o.new != "" || o.left) {
		return nil
	}
	a, err := readAssembly(o.assembly)
	if err != nil {
		return err
	}
	o.stack, o.new = cmp.Or(o.stack, a.stack), cmp.Or(o.new, a.template)
	return nil
}

func diff(ctx context.Context, o options, w io.Writer) error {
	is, err := readTemplate(o.new)
	if err != nil {
		return err
	}
	was, err := deployed(ctx, o)
	if errors.Is(err, errNoStack) {
		fmt.Fprintf(w, "There is no stack %s: all of its %d resources would be new.\n", o.stack, len(is.Resources))
		return nil
	}
	if err != nil {
		return err
	}
	r := newReport(was, is)
	r.write(w)
	if losses := r.losses(); o.stop && len(losses) > 0 {
		return fmt.Errorf("data would be lost, or the service would lose sight of it: %s. Nothing was deployed", strings.Join(losses, ", "))
	}
	return nil
}

// deployed reads what is compared with.
func deployed(ctx context.Context, o options) (template, error) {
	if o.old != "" {
		return readTemplate(o.old)
	}
	c, err := connect(ctx)
	if err != nil {
		return template{}, fmt.Errorf("%w; or give a saved template: OLD=file", err)
	}
	return c.template(ctx, o.stack)
}

// left says what stays. From a file it cannot say what that is called in the account.
func left(ctx context.Context, o options, w io.Writer) error {
	if o.old != "" {
		t, err := readTemplate(o.old)
		if err == nil {
			writeLeft(w, t, nil)
		}
		return err
	}
	c, err := connect(ctx)
	if err != nil {
		return err
	}
	t, err := c.template(ctx, o.stack)
	if err != nil {
		return err
	}
	names, err := c.names(ctx, o.stack)
	if err == nil {
		writeLeft(w, t, names)
	}
	return err
}
