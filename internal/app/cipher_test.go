package app_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/aws/smithy-go"

	"bulksigner/internal/app"
	"bulksigner/internal/bsenc"
	"bulksigner/internal/fault"
	"bulksigner/internal/settings"
)

var encryption = settings.Encryption{Enabled: true, Salt: settings.Salt("0123456789abcdef"), Iterations: bsenc.MinIterations}

const password = "a password of tests"

// vault gives the password away as often as it is asked, after some failures.
type vault struct {
	password string
	fails    []error
	asked    int
}

func (v *vault) get(context.Context) (string, error) {
	v.asked++
	if len(v.fails) >= v.asked {
		return "", v.fails[v.asked-1]
	}
	return v.password, nil
}

func TestCipher(t *testing.T) {
	t.Parallel()
	v := &vault{password: password}
	c := app.NewCipher(encryption, v.get)
	if v.asked != 0 {
		t.Error("the password was read before it was needed")
	}
	key, err := bsenc.DeriveKey(password, encryption.Salt, encryption.Iterations)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := c.Ready(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	sealed, err := c.Seal(t.Context(), strings.NewReader("document"), 8)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := bsenc.Open(key, sealed)
	if err != nil || !bytes.Equal(opened, []byte("document")) || v.asked != 1 {
		t.Errorf("%d reads of the password sealed %q, %v", v.asked, opened, err)
	}
	if _, err := c.Seal(t.Context(), strings.NewReader("document"), 9); err == nil {
		t.Error("a document that was cut is sealed")
	}
}

// TestCipherFails: what may pass is tried again, and what stays has a code that says so.
func TestCipherFails(t *testing.T) {
	t.Parallel()
	outage := errors.New("no answer")
	denied := &smithy.GenericAPIError{Code: "AccessDeniedException"}
	tests := []struct {
		name     string
		password string
		err      error // of reading it
		want     error
	}{
		{"out of reach", password, outage, outage},
		{"slow down", password, &smithy.GenericAPIError{Code: "ThrottlingException"}, nil},
		{"denied", password, denied, fault.EncryptionUnavailable},
		{"gone", password, &smithy.GenericAPIError{Code: "ResourceNotFoundException"}, fault.EncryptionUnavailable},
		{"empty", "", nil, fault.EncryptionUnavailable},
		{"not UTF-8", "\xff of a password", nil, fault.EncryptionUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := &vault{password: tt.password}
			if tt.err != nil {
				v.fails = []error{tt.err, tt.err}
			}
			c := app.NewCipher(encryption, v.get)
			err := c.Ready(t.Context())
			if tt.want == nil && fault.CodeOf(err) == fault.EncryptionUnavailable || tt.want != nil && !errors.Is(err, tt.want) || err == nil {
				t.Errorf("Ready = %v, want %v", err, tt.want)
			}
			if strings.Contains(err.Error(), password) {
				t.Errorf("the error quotes the password: %v", err)
			}
			if _, serr := c.Seal(t.Context(), strings.NewReader(""), 0); serr == nil || v.asked != 2 {
				t.Errorf("Seal = %v after %d reads, want a failure of its own", serr, v.asked)
			}
			if err := c.Ready(t.Context()); tt.err != nil && err != nil {
				t.Errorf("Ready = %v when the password is to be had again", err)
			}
		})
	}
}

// TestNoCipher: the workflow asks whether outputs are encrypted by comparing with nil.
func TestNoCipher(t *testing.T) {
	t.Parallel()
	off := encryption
	off.Enabled = false
	for want, e := range map[bool]settings.Encryption{true: encryption, false: off} {
		e.Password = password
		if got := app.HasCipher(settings.Settings{Encryption: e}); got != want {
			t.Errorf("with Encryption:Enabled %v outputs can be encrypted: %v", want, got)
		}
	}
}
