package secrets_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"bulksigner/internal/aws/secrets"
)

const (
	key       = "arn:aws:secretsmanager:sa-east-1:111122223333:secret:signer/key-AbCdEf"
	elsewhere = "arn:aws-us-gov:secretsmanager:us-gov-west-1:111122223333:secret:key-AbCdEf"
	hidden    = "hunter2 with blanks"
)

// manager is Secrets Manager below a real client.
type manager struct {
	mu     sync.Mutex
	bodies map[string]string // answers by secret
	err    error
	takes  time.Duration
	asked  []string // secret and region of each call
}

func (m *manager) RoundTrip(r *http.Request) (*http.Response, error) {
	var in struct{ SecretId string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, err
	}
	m.mu.Lock()
	m.asked = append(m.asked, in.SecretId+" "+strings.Split(r.Header.Get("Authorization"), "/")[2])
	body, ok := m.bodies[in.SecretId]
	err, takes := m.err, m.takes
	m.mu.Unlock()
	if takes > 0 {
		select {
		case <-time.After(takes):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	if err != nil {
		return nil, err
	}
	status := 200
	if !ok {
		status, body = 400, `{"__type":"ResourceNotFoundException","message":"made by a test"}`
	}
	return &http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"application/x-amz-json-1.1"}},
		ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}, nil
}

func (m *manager) set(arn, body string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bodies[arn] = body
}

func (m *manager) calls() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.asked)
}

func text(s string) string { return fmt.Sprintf(`{"SecretString":%q}`, s) }

func newStore(m *manager, options ...secrets.Option) *secrets.Store {
	if m.bodies == nil {
		m.bodies = map[string]string{key: text(hidden)}
	}
	return secrets.New(secretsmanager.NewFromConfig(aws.Config{
		Region: "sa-east-1", Credentials: credentials.NewStaticCredentialsProvider("a", "s", ""),
		HTTPClient: &http.Client{Transport: m}, RetryMaxAttempts: 1,
	}), options...)
}

// want fails the test unless s answers value after so many calls.
func (m *manager) want(t *testing.T, s *secrets.Store, what, value string, calls int) {
	t.Helper()
	got, err := s.Get(t.Context(), key)
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if got != value || m.calls() != calls {
		t.Errorf("%s: got another value, or %d calls and not %d", what, m.calls(), calls)
	}
}

func TestValuesAreKeptForAWhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &manager{}
		s := newStore(m)
		m.want(t, s, "first", hidden, 1)
		m.set(key, text("changed"))
		time.Sleep(secrets.Kept - time.Second)
		m.want(t, s, "kept", hidden, 1)
		time.Sleep(2 * time.Second)
		m.want(t, s, "old", "changed", 2)
	})
}

func TestRefreshReadsAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &manager{}
		s := newStore(m)
		m.want(t, s, "first", hidden, 1)
		m.set(key, text("changed"))
		if err := s.Refresh(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		m.want(t, s, "refreshed", "changed", 2)

		m.err = errors.New("connection reset")
		if err := s.Refresh(t.Context(), key); err == nil {
			t.Error("Refresh = nil while Secrets Manager is down")
		}
		m.want(t, s, "after a refresh that failed", "changed", 3)
		time.Sleep(secrets.Kept)
		if _, err := s.Get(t.Context(), key); err == nil {
			t.Error("an old value was given")
		}
		m.err = nil
		m.want(t, s, "after an error", "changed", 5)
	})
}

func TestTextAndBytes(t *testing.T) {
	t.Parallel()
	m := &manager{bodies: map[string]string{key: text("text"), elsewhere: `{"SecretBinary":"AAH/"}`}}
	s := newStore(m)
	for arn, want := range map[string][]byte{key: []byte("text"), elsewhere: {0, 1, 255}} {
		got, err := s.GetBinary(t.Context(), arn)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("GetBinary(%s) = %x, %v, want %x", arn, got, err, want)
		}
		clear(got)
		if again, err := s.GetBinary(t.Context(), arn); err != nil || !bytes.Equal(again, want) {
			t.Errorf("GetBinary(%s) = %x, %v after a caller cleared its copy, want %x", arn, again, err, want)
		}
	}
	if _, err := s.Get(t.Context(), elsewhere); err == nil {
		t.Error("Get of bytes = nil, want an error")
	}
	for _, want := range []string{key + " sa-east-1", elsewhere + " us-gov-west-1"} {
		if !strings.Contains(strings.Join(m.asked, "\n"), want) {
			t.Errorf("asked %q, want %q among them: the ARN names the region", m.asked, want)
		}
	}
}

func TestReadersShareACall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &manager{takes: time.Second}
		s := newStore(m)
		for range 20 {
			go m.want(t, s, "together", hidden, 1)
		}
		time.Sleep(2 * time.Second)
		m.want(t, s, "later", hidden, 1)
	})
}

// The one who makes the call runs out of time: the others make their own, and each ends with its own time at the latest.
func TestReadersDoNotSufferFromEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &manager{takes: time.Minute}
		s := newStore(m)
		get := func(patience time.Duration) error {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			began := time.Now()
			_, err := s.Get(ctx, key)
			if d := time.Since(began); d > patience {
				t.Errorf("Get took %s, more than %s", d, patience)
			}
			return err
		}
		go func() {
			if err := get(time.Second); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the hasty reader got %v", err)
			}
		}()
		synctest.Wait()
		go func() {
			if err := get(time.Second / 2); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the hastier reader got %v", err)
			}
		}()
		if err := get(2 * time.Minute); err != nil {
			t.Errorf("the patient reader got %v", err)
		}
		m.want(t, s, "later", hidden, 2)
	})
}

func TestErrorsDoNotQuoteValues(t *testing.T) {
	t.Parallel()
	value := "topsecret"
	for name, body := range map[string]string{
		"cut":         `{"SecretString":"` + value,
		"rubbish":     value,
		"other type":  `{"SecretString":["` + value + `"]}`,
		"no base64":   `{"SecretBinary":"` + value + `!"}`,
		"wrong shape": `{"SecretString":{"a":"` + value + `"}}`,
	} {
		s := newStore(&manager{bodies: map[string]string{key: body}})
		_, err := s.Get(t.Context(), key)
		if err == nil {
			t.Errorf("%s: Get = nil, want an error", name)
			continue
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			if strings.Contains(fmt.Sprintf("%v %+v %#v", e, e, e), value) {
				t.Errorf("%s: the error quotes the value: %v", name, e)
			}
		}
	}
	s := newStore(&manager{})
	if _, err := s.Get(t.Context(), value); err == nil || strings.Contains(err.Error(), value) {
		t.Errorf("Get of what is no ARN = %v, want an error that does not quote it", err)
	}
}

func TestASecretThatIsNotThere(t *testing.T) {
	t.Parallel()
	m := &manager{bodies: map[string]string{}}
	s := newStore(m)
	_, err := s.GetBinary(t.Context(), key)
	var coded interface{ ErrorCode() string }
	if !errors.As(err, &coded) || coded.ErrorCode() != "ResourceNotFoundException" || !strings.Contains(err.Error(), key) {
		t.Errorf("GetBinary = %v, want AWS's code and the secret's name", err)
	}
}

// TestSeen: whoever keeps secrets out of logs knows a value before anybody has it, and is told once a read.
func TestSeen(t *testing.T) {
	t.Parallel()
	m := &manager{bodies: map[string]string{
		key: text(hidden), elsewhere: `{"SecretBinary":"` + base64.StdEncoding.EncodeToString([]byte("text as bytes")) + `"}`,
		key + "x": `{"SecretBinary":"//79"}`,
	}}
	var seen []string
	s := newStore(m, secrets.Seen(func(v string) { seen = append(seen, v) }))
	for range 2 {
		if v, err := s.Get(t.Context(), key); err != nil || !slices.Contains(seen, v) {
			t.Errorf("%q, %v came before it was seen: %q", v, err, seen)
		}
	}
	for _, arn := range []string{elsewhere, key + "x"} {
		if _, err := s.GetBinary(t.Context(), arn); err != nil {
			t.Error(err)
		}
	}
	if want := []string{hidden, "text as bytes"}; !slices.Equal(seen, want) {
		t.Errorf("seen was %q, want %q", seen, want)
	}
}
