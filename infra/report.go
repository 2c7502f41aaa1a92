package main

//lint:file-ignore SA1019 the CDK for Go still answers with the messages' old type, and has no module with the new one

import (
	"errors"
	"fmt"
	"os"

	"github.com/aws/aws-cdk-go/awscdk/v2/cxapi"
)

// Remark is what a construct or a rule has to say about a stack.
type Remark struct {
	Error bool // the stack must not be deployed
	Text  string
}

// Remarks returns what was remarked about a stack that was synthesized.
func Remarks(stack cxapi.CloudFormationStackArtifact) []Remark {
	var all []Remark
	for _, m := range *stack.Messages() {
		all = append(all, Remark{
			Error: m.Level == cxapi.SynthesisMessageLevel_ERROR,
			Text:  fmt.Sprintf("%s: %s: %v", m.Level, *m.Id, m.Entry.Data),
		})
	}
	return all
}

// report shows what was remarked, and fails on errors. Under the CDK command line it stays silent, since that does both
// itself.
func report(assembly cxapi.CloudAssembly) error {
	if os.Getenv("CDK_CLI_ASM_VERSION") != "" {
		return nil
	}
	var faults []error
	for _, stack := range *assembly.Stacks() {
		for _, r := range Remarks(stack) {
			if r.Error {
				faults = append(faults, errors.New(r.Text))
				continue
			}
			fmt.Fprintln(os.Stderr, r.Text)
		}
	}
	if len(faults) == 0 {
		fmt.Println("synthesized to", *assembly.Directory())
	}
	return errors.Join(faults...)
}
