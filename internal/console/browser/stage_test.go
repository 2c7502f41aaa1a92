package browser_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"bulksigner/internal/local"
	"bulksigner/internal/local/demo"
)

// stage is what the tests play on.
type stage struct {
	*local.Service
	browser context.Context
	rules   string // axe-core
	ids     map[string]string

	mu      sync.Mutex
	key     string // the API key of now
	secret  string // where it is kept
	session string // a cookie of somebody who signed in with it
}

// patience is how long a condition may take to come true: the machine may be busy with other tests.
const patience = 60 * time.Second

// start starts the service and gives it something to show.
func (s *stage) start() error {
	dir, err := os.MkdirTemp("", "browser")
	if err != nil {
		return err
	}
	stops = append(stops, func() error { return os.RemoveAll(dir) })
	functions := local.Functions()
	for i := range functions {
		if functions[i].Name == "api" {
			functions[i].Processes = 1 // so that a new key is known to all as soon as one has it
		}
	}
	s.Service, err = local.Start(context.Background(), local.Options{
		Dir: filepath.Join(dir, "data"), Functions: functions, Settings: s.settings, Before: s.before,
	})
	if err != nil {
		return err
	}
	stops = append(stops, s.Close)
	if err := s.signInOnce(); err != nil {
		return err
	}
	return s.fill()
}

// settings keeps the API key where a deployment does, so that it can be changed, and lets a test act as often as it likes.
func (s *stage) settings(ctx context.Context, service *local.Service, all map[string]any) error {
	out, err := secretsmanager.NewFromConfig(service.Config()).CreateSecret(ctx, &secretsmanager.CreateSecretInput{
		Name: aws.String("bulksigner/api-key"), SecretString: &service.APIKey,
	})
	if err != nil {
		return err
	}
	s.key, s.secret = service.APIKey, aws.ToString(out.ARN)
	all["Auth"] = map[string]any{"ApiKey": s.secret}
	for _, p := range all["Signing"].(map[string]any)["Profiles"].([]map[string]any) {
		if p["Name"] == "letters" {
			p["Signature"].(map[string]any)["Reason"] = hostile
		}
	}
	all["RateLimiting"] = map[string]any{"Enabled": false}
	return nil
}

// newKey changes the API key, which the service knows by its next start.
func (s *stage) newKey(ctx context.Context) error {
	key := rand.Text()
	_, err := secretsmanager.NewFromConfig(s.Config()).PutSecretValue(ctx, &secretsmanager.PutSecretValueInput{
		SecretId: &s.secret, SecretString: &key,
	})
	if err != nil {
		return err
	}
	if _, err := s.Kill("api", func(int) int { return 0 }); err != nil {
		return err
	}
	s.mu.Lock()
	s.key = key
	s.mu.Unlock()
	return s.signInOnce()
}

// signInOnce gets a session for all tests that are not about signing in: an address has but ten attempts a minute.
func (s *stage) signInOnce() error {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return eventually(func() (bool, error) {
		r, err := http.NewRequest(http.MethodPost, s.URL+"/login", strings.NewReader(url.Values{"key": {s.key}}.Encode()))
		if err != nil {
			return false, err
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", s.URL)
		resp, err := client.Do(r)
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		for _, c := range resp.Cookies() {
			if c.Name == sessionCookie {
				s.mu.Lock()
				s.session = c.Value
				s.mu.Unlock()
				return true, nil
			}
		}
		return false, nil
	})
}

const sessionCookie = "__Host-bulksigner"

// eventually asks until it hears yes. What is waited for happens in other processes, where no fake clock runs.
func eventually(done func() (bool, error)) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for {
		ok, err := done()
		if err != nil || ok {
			return err
		}
		select {
		case <-late:
			return fmt.Errorf("it did not come true within %s", patience)
		case <-tick.C:
		}
	}
}

// call asks the REST API and reads its answer.
func (s *stage) call(method, path, kind string, body io.Reader, answer any) error {
	r, err := http.NewRequest(method, s.URL+path, body)
	if err != nil {
		return err
	}
	s.mu.Lock()
	r.Header.Set("X-API-Key", s.key)
	s.mu.Unlock()
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s answers %d %s: %w", method, path, resp.StatusCode, b, errors.Join(err, errRefused))
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(b, answer)
}

// ask sends JSON.
func (s *stage) ask(method, path string, body, answer any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return s.call(method, path, "application/json", bytes.NewReader(b), answer)
}

// upload hands a file in and returns its job.
func (s *stage) upload(profile, name string, content []byte) (string, error) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", name)
	if err != nil {
		return "", err
	}
	if _, err := part.Write(content); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	var accepted struct {
		JobID string `json:"jobId"`
	}
	err = s.call(http.MethodPost, "/api/files?profile="+url.QueryEscape(profile), w.FormDataContentType(), &form, &accepted)
	return accepted.JobID, err
}

// reaches waits until a job has a status.
func (s *stage) reaches(id, status string) error {
	var j demo.Job
	err := eventually(func() (bool, error) {
		err := s.call(http.MethodGet, "/api/jobs/"+id, "", nil, &j)
		return err == nil && j.Status == status, nil
	})
	if err != nil {
		return fmt.Errorf("job %s is %s %s (%s) and not %s: %w", id, j.Status, j.ErrorCode, j.ErrorMessage, status, err)
	}
	return nil
}

// errRefused says that the REST API did not do what it was asked for.
var errRefused = errors.New("refused")
