package keys

import (
	"context"
	"crypto"
	"crypto/rsa"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"

	"bulksigner/internal/fault"
)

const (
	// answerTime is how long KMS, which answers in milliseconds, is listened to. After it, it is silent.
	answerTime = 30 * time.Second
	// leastTime is what must be left of a run to ask at all: to ask and not to listen would lose a signature.
	leastTime = 2 * time.Second
	// Bounds of the wait before a key that was throttled is asked again.
	firstWait = 200 * time.Millisecond
	mostWait  = 5 * time.Second
)

// kmsSigner is a KMS key for one signature. It keeps the call's context, since Sign takes none.
type kmsSigner struct {
	*kmsKey
	ctx context.Context
}

// Public implements crypto.Signer.
func (s kmsSigner) Public() crypto.PublicKey { return s.public }

// Sign implements crypto.Signer. The answer decides whether the key is asked again, which it is only when it was
// throttled: that was no request to the key yet.
func (s kmsSigner) Sign(_ io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	if err := checkDigest(digest, opts); err != nil {
		return nil, err
	}
	algorithm, ok := s.algorithms[opts.HashFunc()]
	if !ok {
		return nil, fault.New(fault.JobKeyRefused, "the key cannot sign with %s", opts.HashFunc())
	}
	var slower error
	for n := 0; s.hasTime(); n++ {
		signature, err := s.ask(algorithm, digest)
		if _, again := errors.AsType[*throttledError](err); !again {
			return signature, err
		}
		slower = err
		s.pause(n)
	}
	return nil, fault.Wrap(fault.Throttled, slower, "the time was up before the key looked at the request; nothing was signed")
}

// hasTime reports whether the key may be asked: there is time to listen to its answer.
func (s kmsSigner) hasTime() bool {
	end, bounded := s.ctx.Deadline()
	return s.ctx.Err() == nil && (!bounded || time.Until(end) >= leastTime)
}

// digests are the algorithms that keys sign with. Which of them a signature may have is for the policy to say.
var digests = []crypto.Hash{crypto.SHA256, crypto.SHA384, crypto.SHA512}

// checkDigest refuses what no key here signs, before any is asked.
func checkDigest(digest []byte, opts crypto.SignerOpts) error {
	if _, pss := opts.(*rsa.PSSOptions); pss {
		return fault.New(fault.JobKeyRefused, "RSA-PSS is not used in ICP-Brasil")
	}
	h := opts.HashFunc()
	if !slices.Contains(digests, h) || len(digest) != h.Size() {
		return fault.New(fault.JobKeyRefused, "%d bytes are no digest of the algorithm %s", len(digest), h)
	}
	return nil
}

// ask sends one request.
func (s kmsSigner) ask(algorithm types.SigningAlgorithmSpec, digest []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(s.ctx, answerTime)
	defer cancel()
	sending := &sending{wire: s.wire}
	out, err := s.api.Sign(ctx, &kms.SignInput{
		KeyId: &s.arn, MessageType: types.MessageTypeDigest, Message: digest, SigningAlgorithm: algorithm,
	}, inRegionOf(s.arn), sending.once)
	if err != nil {
		return nil, verdict(err, sending.neverSent())
	}
	if len(out.Signature) == 0 {
		return nil, fault.New(fault.JobKeySilent, "KMS answered without a signature; one may have been made")
	}
	return out.Signature, nil
}

// throttledError says that KMS counted a request and did not look at it.
type throttledError struct{ error }

func (e *throttledError) Unwrap() error { return e.error }

// unavailable are refusals that speak of the key and not of this request: every other job of the profile meets them too.
var unavailable = map[string]bool{
	"AccessDeniedException": true, "DisabledException": true, "NotFoundException": true, "KMSInvalidStateException": true,
}

// verdict says what is known after a request that brought no signature.
//
// No 5xx proves that nothing was signed. KMSInternalException and DependencyTimeoutException say that it broke off
// somewhere. KeyUnavailableException speaks of a rejection, but KMS repeats inside, and its last try may be rejected
// after an earlier one was carried out. A 408 is a time-out of somebody on the way.
func verdict(err error, neverSent bool) error {
	code, status := codeOf(err), statusOf(err)
	_, slower := retry.DefaultThrottleErrorCodes[code]
	refused := status >= 400 && status < 500 && status != http.StatusRequestTimeout
	switch {
	case neverSent:
		return fault.Wrap(fault.Throttled, err, "KMS could not be reached; nothing was signed")
	case refused && (slower || status == http.StatusTooManyRequests):
		return &throttledError{err}
	case refused && unavailable[code]:
		return fault.Wrap(fault.KeyUnavailable, err, "the key cannot be used (%s); nothing was signed", code)
	case refused:
		return fault.Wrap(fault.JobKeyRefused, err, "the key refused to sign (%s)", code)
	case code != "":
		return fault.Wrap(fault.JobKeySilent, err, "KMS failed (%s); a signature may have been made", code)
	}
	return fault.Wrap(fault.JobKeySilent, err, "KMS did not answer; a signature may have been made")
}

// pause waits before the key is asked for the n-th time again, counted from 0: longer each time, and each run for a time
// of its own, so that those who were throttled together do not come back together.
func (s kmsSigner) pause(n int) {
	most := min(firstWait<<min(n, 10), mostWait)
	t := time.NewTimer(most/2 + rand.N(most/2))
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.ctx.Done():
	}
}
