// Command csr has a key in AWS KMS sign a request for its certificate (PKCS#10), and compares the certificate that comes of
// it with the key.
//
//	go run ./scripts/csr -key alias/contracts-2026 -subject "CN=EMPRESA:11222333000181,O=ICP-Brasil,C=BR" > contracts.csr
//	go run ./scripts/csr -key alias/contracts-2026 -check contracts.pem [-anchors icp-brasil.pem] > certificate.json
//
// The key is named by its id, its alias or the ARN of either. Credentials and region are those that the AWS command line
// uses, an ARN's region comes first, and AWS_ENDPOINT_URL is honoured. The first form needs kms:GetPublicKey and kms:Sign,
// the second kms:GetPublicKey alone.
//
// The subject is written as RFC 4514 has it, most specific part first. With -email the request also asks for that address
// as an alternative name. Authorities of ICP-Brasil write the holder's names and numbers from what the registration
// authority has checked; what they take from a request is its public key.
//
// The second form opens key and certificate as the service does when a profile is saved. It goes on to check that the file
// has the authorities above the certificate and, with -anchors, that they lead to one of those roots, which
// go run ./scripts/trust fetches. Only if nothing is wrong it writes the certificate's block of a profile, with certificate
// and chain in their order; what it found goes to standard error. Neither revocation nor who the holder is, is looked at.
//
// The exit code is 0, or 1 if nothing was written.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/kms"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], surroundings{os.Stdout, os.Stderr, time.Now, newKMS})
	stop()
	os.Exit(code)
}

// surroundings are what a process has besides its arguments.
type surroundings struct {
	stdout, stderr io.Writer
	now            func() time.Time
	kms            func(context.Context) (kmsAPI, error)
}

// atMost is how long a run takes at most. The SDK's own attempts end before.
const atMost = time.Minute

// run does everything and returns the exit code.
func run(ctx context.Context, args []string, s surroundings) int {
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	o, err := parse(args, s.stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err == nil {
		err = o.do(ctx, s)
	}
	if err != nil {
		fmt.Fprintln(s.stderr, "csr:", err)
		return 1
	}
	return 0
}

// do does what the options ask for, and writes the result whole or not at all.
func (o options) do(ctx context.Context, s surroundings) error {
	api, err := s.kms(ctx)
	if err != nil {
		return err
	}
	k, err := openKey(ctx, api, o.key)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.stderr, "key          %s, %s\n", k.arn, k.spec)
	var out []byte
	if o.check == "" {
		out, err = request(ctx, k, o)
	} else {
		out, err = check(ctx, k, o, s)
	}
	if err != nil {
		return err
	}
	_, err = s.stdout.Write(out)
	return err
}

// newKMS is a client with the credentials and the region that the SDK finds.
func newKMS(ctx context.Context) (kmsAPI, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("find credentials and region: %w", err)
	}
	return kms.NewFromConfig(cfg), nil
}
