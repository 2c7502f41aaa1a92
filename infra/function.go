package main

import (
	"fmt"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"bulksigner/internal/settings"
)

// function is one function of the service: what it is given, what it may do, and what wakes it.
type function struct {
	name     string // of its program's folder
	purpose  string
	memoryMB int // the least
	seconds  int // time-out
	diskMB   int // of /tmp; 0 is the platform's 512

	wanted func(settings.Settings) bool // nil: always
	needs  func(settings.Settings) int  // memory in MB; nil: the least
	checks bool                         // it is told of the checks queue
	tokens bool                         // it opens keys on PKCS#11 tokens, if there are any
	dead   bool                         // it is told of the queues for dead letters

	grants  func(*service) []grant // on what is in the stack
	named   func(*service) []grant // on what the settings name outside of it; may be nil
	connect func(*service, awslambda.Function)
}

// add makes the function with its own role and log group, and wakes it. It returns the role's ARN.
func (s *service) add(f function) *string {
	id := strings.ToUpper(f.name[:1]) + f.name[1:]
	if f.needs != nil {
		f.memoryMB = max(f.memoryMB, f.needs(s.settings))
	}
	logs := s.newLogGroup(id + "Logs")
	role := s.newRole(id+"Role", f, logs)
	props := &awslambda.FunctionProps{
		Description:  &f.purpose,
		Architecture: awslambda.Architecture_ARM_64(),
		MemorySize:   jsii.Number(f.memoryMB),
		Timeout:      awscdk.Duration_Seconds(jsii.Number(f.seconds)),
		Environment:  s.environment(f),
		LogGroup:     logs,
		Role:         role,
	}
	if f.diskMB > 0 {
		props.EphemeralStorageSize = awscdk.Size_Mebibytes(jsii.Number(f.diskMB))
	}
	s.program(f, props)
	s.place(f, props)
	made := awslambda.NewFunction(s.stack, &id, props)
	f.connect(s, made)
	s.watchRuns(id, f, made)
	return role.RoleArn()
}

// environment is what every function reads. Go's collector is told of nine tenths of the memory, since it cannot see the
// limit at which the platform ends the process.
func (s *service) environment(f function) *map[string]*string {
	env := map[string]*string{
		"TABLE_NAME":     s.table.TableName(),
		"INPUT_BUCKET":   s.input.BucketName(),
		"OUTPUT_BUCKET":  s.output.BucketName(),
		"WORK_QUEUE_URL": s.work.QueueUrl(),
		"GOMEMLIMIT":     jsii.String(fmt.Sprintf("%dMiB", f.memoryMB*9/10)),

		"METRICS_NAMESPACE": jsii.String(s.namespace()),
	}
	if f.checks {
		env["CHECKS_QUEUE_URL"] = s.checks.QueueUrl()
	}
	if f.dead {
		s.tellOfDeadLetters(env)
	}
	if f.tokens && s.options.Hsm.wanted {
		s.tellOfTokens(env)
	}
	if s.options.Restored != "" {
		env[restoredVariable] = &s.options.Restored
	}
	for name, value := range s.overlays {
		env[name] = &value
	}
	return &env
}
