package demo

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Limits of what is read from the API.
const (
	maxAnswer = 16 << 20
	maxOutput = 64 << 20
	maxPages  = 1000
)

const keyHeader = "X-API-Key"

// Client uses the REST API.
type Client struct {
	url  string
	key  string
	http *http.Client
}

// NewClient makes a client for the API at url.
func NewClient(url, key string) *Client {
	return &Client{url, key, &http.Client{
		// A large output is behind a link to S3, which signed everything that it wants to see.
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if r.Header.Del(keyHeader); len(via) > 3 {
				return errors.New("too many redirections")
			}
			return nil
		},
	}}
}

// Row is a job in a list.
type Row struct {
	ID           string `json:"id"`
	OriginalPath string `json:"originalPath"`
	Status       string `json:"status"`
	ErrorCode    string `json:"errorCode"`
	ErrorMessage string `json:"errorMessage"`
	DocumentName string `json:"documentName"` // at Lacuna Signer, of a job that came from there

	CreatedAt time.Time `json:"createdAt"`
}

// key is what a sample is known by: where its file arrived, or the name of its document.
func (r Row) key() string { return cmp.Or(r.OriginalPath, r.DocumentName) }

// ended reports whether nothing more will become of the job.
func (r Row) ended() bool {
	return r.Status == "Completed" || r.Status == "Failed" || r.Status == "Canceled"
}

func (r Row) outcome() string { return strings.TrimSuffix(r.Status+" "+r.ErrorCode, " ") }

// Job is a job with everything that is told about it.
type Job struct {
	Row
	OutputKey  string  `json:"outputKey"`
	DocumentID string  `json:"remoteDocumentId"` // at Lacuna Signer
	Timings    Timings `json:"timings"`
}

// Timings are how long the stages took, in milliseconds; nil where there was none.
type Timings struct {
	Queue        *int64 `json:"queueMs"`
	Signing      *int64 `json:"signingMs"`
	Verification *int64 `json:"verificationMs"`
	Output       *int64 `json:"outputMs"`
}

// String lists the stages that there were.
func (t Timings) String() string {
	var parts []string
	for _, stage := range []struct {
		name string
		ms   *int64
	}{{"queue", t.Queue}, {"signing", t.Signing}, {"verification", t.Verification}, {"output", t.Output}} {
		if stage.ms != nil {
			parts = append(parts, fmt.Sprintf("%s %d ms", stage.name, *stage.ms))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " [" + strings.Join(parts, ", ") + "]"
}

// Jobs lists all jobs.
func (c *Client) Jobs(ctx context.Context) ([]Row, error) {
	var all []Row
	query := url.Values{"pageSize": {"200"}}
	for range maxPages {
		var page struct {
			Items  []Row   `json:"items"`
			Cursor *string `json:"cursor"`
		}
		if err := c.get(ctx, "/api/jobs?"+query.Encode(), &page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.Cursor == nil {
			return all, nil
		}
		query.Set("cursor", *page.Cursor)
	}
	return nil, errors.New("the list of jobs does not end")
}

// Job reads one job.
func (c *Client) Job(ctx context.Context, id string) (j Job, err error) {
	return j, c.get(ctx, "/api/jobs/"+url.PathEscape(id), &j)
}

// Output writes a job's output to w.
func (c *Client) Output(ctx context.Context, id string, w io.Writer) error {
	body, err := c.open(ctx, http.MethodGet, "/api/jobs/"+url.PathEscape(id)+"/output", nil)
	if err != nil {
		return err
	}
	defer body.Close()
	n, err := io.Copy(w, io.LimitReader(body, maxOutput+1))
	if err == nil && n > maxOutput {
		err = fmt.Errorf("it has more than %d bytes", maxOutput)
	}
	if err != nil {
		return fmt.Errorf("fetch the output of job %s: %w", id, err)
	}
	return nil
}

// Cancel cancels a job.
func (c *Client) Cancel(ctx context.Context, id, reason string) error {
	var j Job
	return c.call(ctx, http.MethodPost, "/api/jobs/"+url.PathEscape(id)+"/cancel", map[string]string{"reason": reason}, &j)
}

// Retry has a job tried again, and returns the id of the one that does.
func (c *Client) Retry(ctx context.Context, id string) (string, error) {
	var answer struct{ NewJobID string }
	err := c.call(ctx, http.MethodPost, "/api/jobs/"+url.PathEscape(id)+"/retry", nil, &answer)
	return answer.NewJobID, err
}

// Check is one thing that the service depends on.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// Ready asks whether the service can do its work.
func (c *Client) Ready(ctx context.Context) ([]Check, error) {
	var answer struct{ Checks []Check }
	err := c.get(ctx, "/api/ready/details", &answer)
	return answer.Checks, err
}

func (c *Client) get(ctx context.Context, path string, into any) error {
	return c.call(ctx, http.MethodGet, path, nil, into)
}

// call sends a request, with a body of JSON unless that is nil, and reads the answer.
func (c *Client) call(ctx context.Context, method, path string, body, into any) error {
	answer, err := c.open(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer answer.Close()
	if err := json.NewDecoder(io.LimitReader(answer, maxAnswer)).Decode(into); err != nil {
		return fmt.Errorf("read the answer to %s %s: %w", method, path, err)
	}
	return nil
}

func (c *Client) open(ctx context.Context, method, path string, body any) (io.ReadCloser, error) {
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("encode the request %s %s: %w", method, path, err)
		}
		content = bytes.NewReader(encoded)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, content)
	if err != nil {
		return nil, err
	}
	if r.Header.Set(keyHeader, c.key); body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusAccepted {
		return resp.Body, nil
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	return nil, errors.Join(fmt.Errorf("%s %s: %s %s", method, path, resp.Status, said), err)
}
