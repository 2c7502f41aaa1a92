package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"bulksigner/internal/fault"
)

func TestCodeOf(t *testing.T) {
	t.Parallel()
	cause := errors.New("connection reset")
	tests := []struct {
		name   string
		err    error
		code   fault.Code
		detail string
	}{
		{"nil has no code", nil, "", ""},
		{"a code is an error", fault.JobNotFound, fault.JobNotFound, ""},
		{"an error carries its code through wrapping", fmt.Errorf("save: %w", fault.New(fault.JobRaceLost, "job %d", 7)), fault.JobRaceLost, "job 7"},
		{"the outermost code counts", fault.Wrap(fault.ProfileDegraded, fault.New(fault.CertificateExpired, "since Monday"), "profile p"), fault.ProfileDegraded, "profile p"},
		{"no code is internal and shows nothing", cause, fault.Internal, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := fault.CodeOf(tt.err); got != tt.code {
				t.Errorf("CodeOf = %q, want %q", got, tt.code)
			}
			if got := fault.DetailOf(tt.err); got != tt.detail {
				t.Errorf("DetailOf = %q, want %q", got, tt.detail)
			}
		})
	}
}

func TestErrorIsItsCodeAndItsCause(t *testing.T) {
	t.Parallel()
	cause := errors.New("connection reset")
	err := fault.Wrap(fault.JobKeySilent, cause, "key 1")
	for _, target := range []error{fault.JobKeySilent, cause} {
		if !errors.Is(err, target) {
			t.Errorf("errors.Is(%v, %v) = false, want true", err, target)
		}
	}
	if errors.Is(err, fault.JobKeyRefused) {
		t.Error("the error matches a code that it does not have")
	}
	if got, want := err.Error(), "job.key-silent: key 1: connection reset"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}
