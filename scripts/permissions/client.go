package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"time"

	"bulksigner/internal/local/demo"
)

// maxAnswer bounds what is read of an answer.
const maxAnswer = 32 << 20

// client uses the REST API.
type client struct{ url, key string }

// ask sends a request, which must be answered with a status, and returns the answer's body.
func (c *client) ask(ctx context.Context, method, path string, want int, header http.Header, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if header != nil {
		r.Header = header
	}
	r.Header.Set("X-API-Key", c.key)
	return send(r, want)
}

// send sends a request, which must be answered with a status.
func send(r *http.Request, want int) ([]byte, error) {
	plain := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := plain.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != want {
		return nil, fmt.Errorf("%s %s is answered %d, want %d: %.400s", r.Method, r.URL.Path, resp.StatusCode, want, said)
	}
	return said, nil
}

// get reads what a path answers.
func (c *client) get(ctx context.Context, path string) error {
	_, err := c.ask(ctx, http.MethodGet, path, http.StatusOK, nil, nil)
	return err
}

// post sends JSON and decodes the answer.
func (c *client) post(ctx context.Context, method, path string, want int, body, into any, more ...string) error {
	header := http.Header{"Content-Type": {"application/json"}}
	for i := 0; i+1 < len(more); i += 2 {
		header.Set(more[i], more[i+1])
	}
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return err
		}
	}
	said, err := c.ask(ctx, method, path, want, header, content)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(said, into)
}

// hand sends a file in a form.
func (c *client) hand(ctx context.Context, path, name string, want int, content []byte, more ...string) ([]byte, error) {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		return nil, err
	}
	if _, err := part.Write(content); err != nil {
		return nil, err
	}
	if err := form.Close(); err != nil {
		return nil, err
	}
	header := http.Header{"Content-Type": {form.FormDataContentType()}}
	for i := 0; i+1 < len(more); i += 2 {
		header.Set(more[i], more[i+1])
	}
	return c.ask(ctx, http.MethodPost, path, want, header, b.Bytes())
}

// accepted is the answer to a file.
type accepted struct {
	JobID  string `json:"jobId"`
	Upload struct {
		Method, URL string
		Headers     map[string]string
	}
}

// await waits until a job has one of some statuses.
func (t *trial) await(ctx context.Context, id string, statuses ...string) (demo.Job, error) {
	return t.until(ctx, statuses, func(c *demo.Client) (demo.Job, error) {
		j, err := c.Job(ctx, id)
		if err != nil {
			return demo.Job{}, nil // its object was not taken in yet
		}
		return j, nil
	})
}

// arrived waits until the job of a file, or of a document at Lacuna Signer, has one of some statuses.
func (t *trial) arrived(ctx context.Context, key string, statuses ...string) (demo.Job, error) {
	return t.until(ctx, statuses, func(c *demo.Client) (demo.Job, error) {
		rows, err := c.Jobs(ctx)
		for _, r := range rows {
			if r.OriginalPath == key || r.DocumentName == key {
				return demo.Job{Row: r}, err
			}
		}
		return demo.Job{}, err
	})
}

// patience bounds each wait: a job that nobody took is rung for after two minutes.
const patience = 4 * time.Minute

func (t *trial) until(ctx context.Context, statuses []string, look func(*demo.Client) (demo.Job, error)) (j demo.Job, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	c := demo.NewClient(t.URL, t.APIKey)
	for {
		if j, err = look(c); err != nil {
			return j, err
		}
		for _, s := range statuses {
			if j.Status == s {
				return j, nil
			}
		}
		select {
		case <-ctx.Done():
			return j, fmt.Errorf("job %s is %q %s, want %v", j.ID, j.Status, j.ErrorCode, statuses)
		case <-tick.C:
		}
	}
}
