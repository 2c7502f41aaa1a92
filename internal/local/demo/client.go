package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
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
}

// ended reports whether nothing more will become of the job.
func (r Row) ended() bool {
	return r.Status == "Completed" || r.Status == "Failed" || r.Status == "Canceled"
}

func (r Row) outcome() string { return strings.TrimSuffix(r.Status+" "+r.ErrorCode, " ") }

// Job is a job with everything that is told about it.
type Job struct {
	Row
	OutputKey string  `json:"outputKey"`
	Timings   Timings `json:"timings"`
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
	body, err := c.open(ctx, "/api/jobs/"+url.PathEscape(id)+"/output")
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

func (c *Client) get(ctx context.Context, path string, into any) error {
	body, err := c.open(ctx, path)
	if err != nil {
		return err
	}
	defer body.Close()
	if err := json.NewDecoder(io.LimitReader(body, maxAnswer)).Decode(into); err != nil {
		return fmt.Errorf("read the answer to GET %s: %w", path, err)
	}
	return nil
}

func (c *Client) open(ctx context.Context, path string) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set(keyHeader, c.key)
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	return nil, errors.Join(fmt.Errorf("GET %s: %s %s", path, resp.Status, said), err)
}
