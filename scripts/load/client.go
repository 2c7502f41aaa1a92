package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"bulksigner/internal/job"
)

// Limits of what is read from the API.
const (
	maxAnswer = 16 << 20
	maxPages  = 1000
	pageSize  = 200
	patience  = 40 * time.Second // API Gateway ends a request after 30
)

// client uses the REST API and notes how it is answered.
type client struct {
	url, key string
	http     *http.Client
	answers  *answers
}

func newClient(url, key string, a *answers) *client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost, t.Proxy = atOnce, nil
	return &client{url, key, &http.Client{Transport: t, Timeout: patience}, a}
}

// row is a job in a list, and in the parts that it has alone a job.
type row struct {
	ID           job.ID     `json:"id"`
	ParentID     *job.ID    `json:"parentJobId"`
	OriginalPath string     `json:"originalPath"`
	DocumentName string     `json:"documentName"`
	ProfileName  string     `json:"profileName"`
	Status       job.Status `json:"status"`
	ErrorCode    string     `json:"errorCode"`
	CreatedAt    time.Time  `json:"createdAt"`
	UpdatedAt    time.Time  `json:"updatedAt"`

	OutputKey  string  `json:"outputKey"`
	DocumentID string  `json:"remoteDocumentId"`
	Timings    timings `json:"timings"`
	History    []struct {
		Timestamp time.Time  `json:"timestamp"`
		Status    job.Status `json:"status"`
		Message   string     `json:"message"`
		Code      string     `json:"code"`
	} `json:"history"`
}

// timings are how long stages took, in milliseconds; nil where there was none.
type timings struct {
	Queue        *int64 `json:"queueMs"`
	Signing      *int64 `json:"signingMs"`
	Verification *int64 `json:"verificationMs"`
	Output       *int64 `json:"outputMs"`
}

// key is what a job is about. An upload's is its name: its path has an id that the service chose.
func (r row) key() string {
	if path, ok := strings.CutPrefix(r.OriginalPath, job.UploadPrefix); ok {
		_, name, _ := strings.Cut(path, "/")
		return job.UploadPrefix + name
	}
	return cmp.Or(r.OriginalPath, r.DocumentName)
}

func (r row) ended() bool {
	return r.Status == job.Completed || r.Status == job.Failed || r.Status == job.Canceled
}

// page is a part of the list of jobs.
type page struct {
	Items  []row   `json:"items"`
	Cursor *string `json:"cursor"`
}

// all lists all jobs, or those that have one of some statuses.
func (c *client) all(ctx context.Context, statuses ...job.Status) (all []row, err error) {
	query := url.Values{"pageSize": {fmt.Sprint(pageSize)}}
	for _, s := range statuses {
		query.Add("status", string(s))
	}
	for range maxPages {
		var p page
		if err := c.ask(ctx, request{path: "/api/jobs?" + query.Encode()}, &p); err != nil {
			return nil, err
		}
		all = append(all, p.Items...)
		if p.Cursor == nil {
			return all, nil
		}
		query.Set("cursor", *p.Cursor)
	}
	return nil, errors.New("the list of jobs does not end")
}

// job reads a job with its timings and its history.
func (c *client) job(ctx context.Context, id job.ID) (r row, err error) {
	return r, c.ask(ctx, request{path: jobPath(id)}, &r)
}

func jobPath(id job.ID) string { return "/api/jobs/" + url.PathEscape(string(id)) }

// request is one of the REST API.
type request struct {
	name   string // under which the answer is noted; "": it is not
	method string // GET if empty
	path   string
	due    time.Time // when its turn was
	header http.Header
	body   []byte
	want   []int // statuses; 200 if empty
}

// How a client insists: API Gateway answers for a function that died, and the next process is there soon.
const (
	mostTries  = 12
	firstPause = 100 * time.Millisecond
	mostPause  = 2 * time.Second
)

// ask asks for something and reads the answer, unless into is nil. As a good client does, it sends the same again, under the
// same Idempotency-Key if there is one, while nobody answers or the gateway does for a function that died.
func (c *client) ask(ctx context.Context, r request, into any) error {
	r.method = cmp.Or(r.method, http.MethodGet)
	if r.want == nil {
		r.want = []int{http.StatusOK}
	}
	status, body, err := c.insist(ctx, r)
	if err != nil {
		return fmt.Errorf("%s %s: %w", r.method, r.path, err)
	}
	if status < 200 || status > 299 {
		return &refused{r.method, r.path, status, string(body[:min(len(body), 500)])}
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("read the answer to %s %s: %w", r.method, r.path, err)
	}
	return nil
}

// insist sends a request until the service answers, and notes how it did. The status is 0 if nobody ever answered.
func (c *client) insist(ctx context.Context, r request) (status int, body []byte, err error) {
	header := maps.Clone(r.header)
	if header == nil {
		header = http.Header{}
	}
	header.Set("X-Api-Key", c.key)
	pause := firstPause
	for try := 1; ; try++ {
		status, body, err = c.send(ctx, r.method, r.path, header, r.body)
		got := answer{status, codeOf(body)}
		if !got.missing() || try == mostTries {
			c.note(r, got, try)
			return status, body, err
		}
		if err := rest(ctx, pause); err != nil {
			return status, body, err
		}
		pause = min(2*pause, mostPause)
	}
}

func (c *client) note(r request, got answer, tries int) {
	if r.name != "" {
		c.answers.insisted(r.name, time.Since(r.due), got, tries, r.want...)
	}
}

// codeOf reads the code of a problem document; other bodies have none.
func codeOf(body []byte) string {
	var problem struct {
		Code string `json:"code"`
	}
	if json.Unmarshal(body, &problem) != nil {
		return ""
	}
	return problem.Code
}

// refused is an answer that is no success.
type refused struct {
	method, path string
	status       int
	said         string
}

func (r *refused) Error() string {
	return fmt.Sprintf("%s %s was answered %d: %s", r.method, r.path, r.status, r.said)
}

// send sends a request. The status is 0 if nobody answered to the end.
func (c *client) send(ctx context.Context, method, path string, header http.Header, body []byte) (status int, said []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header = header
	resp, err := c.http.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	if said, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer)); err != nil {
		return 0, nil, err
	}
	return resp.StatusCode, said, nil
}
