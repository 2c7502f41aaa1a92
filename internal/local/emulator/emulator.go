// Package emulator runs the AWS services that the product uses inside this process, behind one address.
//
// S3 is versitygw with versions, KMS is local-kms, and SQS, DynamoDB, Secrets Manager and Lambda are kumo. Requests are
// told apart by the credential scope that every signed request carries, so that the product sees one AWS_ENDPOINT_URL
// and the same client code as in the cloud. In front of DynamoDB stands a guard, since kumo takes for valid, or quietly
// ignores, what DynamoDB would refuse or do.
//
// What is stored lives as long as the Emulator does. kumo's services are global to the process: two Emulators share
// tables and queues, so tests name theirs apart. There is one S3 gateway a process, and while it runs the working
// directory is its root: resolve paths before Start.
package emulator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/sivchari/kumo"

	"bulksigner/internal/aws/transport"
	"bulksigner/internal/local/aenv"
)

// What every client of the emulator uses. The S3 gateway checks the credentials; the others take any.
const (
	Region    = "sa-east-1"
	Account   = "000000000000"
	AccessKey = "local"
	SecretKey = "local-secret"
)

// Services is a set of services.
type Services uint8

// The services that can be left out. SQS, DynamoDB, Secrets Manager and Lambda always run: they start in milliseconds.
const (
	S3 Services = 1 << iota
	KMS

	None Services = 1 << 7
	all           = S3 | KMS
)

// rest is kumo. It is started once and ends with the process: its services are global anyway, and a second server would
// wire them anew while the first one uses them.
var rest = sync.OnceValue(kumo.NewServer)

// Options says what to start.
type Options struct {
	// Dir is where objects and keys are kept. If it is empty, a temporary folder is made, and removed by Close.
	Dir string
	// Services are what to start besides kumo: S3 | KMS, or None. Zero starts all.
	Services Services
	// ObjectCreated is called for every new object version after it is stored and before its writer gets an answer.
	ObjectCreated func(context.Context, Object)
	// Watch is put between all clients and the services, if it is given. Credential says who asks for what.
	Watch func(http.Handler) http.Handler
}

// Emulator is a running set of services.
type Emulator struct {
	URL string

	stops []func() error // in the order in which they were started
}

// Start starts the services and returns when they answer. They stop with Close, not with ctx.
func Start(ctx context.Context, o Options) (*Emulator, error) {
	e := &Emulator{}
	if err := e.start(ctx, o); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *Emulator) start(ctx context.Context, o Options) error {
	if o.Services == 0 {
		o.Services = all
	}
	dir, err := e.dir(o.Dir)
	if err != nil {
		return err
	}
	f, err := newFront(rest().URL)
	if err != nil {
		return err
	}
	if o.Services&KMS != 0 {
		keys, err := openKeys(filepath.Join(dir, "kms"))
		if err != nil {
			return err
		}
		e.stop(keys.Close)
		f.keys = keys
	}
	if o.Services&S3 != 0 {
		gate, err := startGateway(ctx, filepath.Join(dir, "s3"), o.ObjectCreated)
		if err != nil {
			return err
		}
		e.stop(gate.Close)
		f.objects = gate
	}
	if o.Watch != nil {
		return e.serve(o.Watch(f))
	}
	return e.serve(f)
}

// dir makes the data folder and returns its absolute path, since the working directory is about to change.
func (e *Emulator) dir(dir string) (string, error) {
	if dir == "" {
		temp, err := os.MkdirTemp("", "aws")
		if err != nil {
			return "", fmt.Errorf("make the data folder: %w", err)
		}
		e.stop(func() error { return os.RemoveAll(temp) })
		return temp, nil
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("resolve the data folder: %w", err)
	}
	return dir, os.MkdirAll(dir, 0o700)
}

func (e *Emulator) serve(h http.Handler) error {
	ln, err := aenv.Take()
	if err != nil {
		return fmt.Errorf("listen for AWS requests: %w", err)
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln) }()
	e.stop(func() error { return stopServer(srv, done) })
	e.URL = "http://" + ln.Addr().String()
	return nil
}

// stopServer ends a server at once: requests that wait for work, such as the Runtime API's, would never end themselves.
func stopServer(srv *http.Server, done <-chan error) error {
	err := srv.Close()
	if served := <-done; !errors.Is(served, http.ErrServerClosed) && !errors.Is(served, net.ErrClosed) {
		err = errors.Join(err, served)
	}
	return err
}

func (e *Emulator) stop(f func() error) { e.stops = append(e.stops, f) }

// Close stops what was started, the last first, and forgets what was stored in a temporary folder.
func (e *Emulator) Close() error {
	var errs []error
	for i := len(e.stops) - 1; i >= 0; i-- {
		errs = append(errs, e.stops[i]())
	}
	e.stops = nil
	return errors.Join(errs...)
}

// Config is for SDK clients in this process. S3 clients need path style, as everywhere with an own endpoint.
func (e *Emulator) Config() aws.Config { return e.ConfigOf("") }

// ConfigOf is Config for a client that asks under a name, so that its requests can be told from those of others.
func (e *Emulator) ConfigOf(name string) aws.Config {
	return aws.Config{
		Region:       Region,
		BaseEndpoint: aws.String(e.URL),
		Credentials:  credentials.NewStaticCredentialsProvider(KeyOf(name), SecretKey, ""),
		// A literal Config has neither default, while one that was loaded has both.
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenSupported,
		HTTPClient:                 transport.Plain(transport.Own(aws.Config{})),
	}
}

// Env is for other processes: what makes the SDK's default configuration reach the emulator, and nothing else.
func (e *Emulator) Env() []string { return e.EnvOf("") }

// EnvOf is Env for a process that asks under a name.
func (e *Emulator) EnvOf(name string) []string {
	return []string{
		"AWS_ENDPOINT_URL=" + e.URL,
		"AWS_REGION=" + Region,
		"AWS_DEFAULT_REGION=" + Region,
		"AWS_ACCESS_KEY_ID=" + KeyOf(name),
		"AWS_SECRET_ACCESS_KEY=" + SecretKey,
		"AWS_EC2_METADATA_DISABLED=true",
	}
}
