package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
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

// key is what a job is about.
func (r row) key() string {
	if r.OriginalPath != "" {
		return r.OriginalPath
	}
	return r.DocumentName
}

func (r row) ended() bool {
	return r.Status == job.Completed || r.Status == job.Failed || r.Status == job.Canceled
}

// page is a part of the list of jobs.
type page struct {
	Items  []row   `json:"items"`
	Cursor *string `json:"cursor"`
}

// all lists all jobs.
func (c *client) all(ctx context.Context) (all []row, err error) {
	query := url.Values{"pageSize": {fmt.Sprint(pageSize)}}
	for range maxPages {
		var p page
		if err := c.call(ctx, "", time.Now(), http.MethodGet, "/api/jobs?"+query.Encode(), &p); err != nil {
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
func (c *client) job(ctx context.Context, name string, due time.Time, id job.ID) (r row, err error) {
	return r, c.call(ctx, name, due, http.MethodGet, "/api/jobs/"+url.PathEscape(string(id)), &r)
}

// retry has a job tried again.
func (c *client) retry(ctx context.Context, id job.ID) error {
	return c.call(ctx, "", time.Now(), http.MethodPost, "/api/jobs/"+url.PathEscape(string(id))+"/retry", nil)
}

// call asks for something and reads the answer, unless into is nil. Under a name the answer is noted.
func (c *client) call(ctx context.Context, name string, due time.Time, method, path string, into any) error {
	header := http.Header{"X-Api-Key": {c.key}}
	status, body, err := c.send(ctx, method, path, header, nil)
	if name != "" {
		c.answers.add(name, time.Since(due), answer{status, codeOf(body)}, http.StatusOK)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if status != http.StatusOK && status != http.StatusAccepted && status != http.StatusCreated {
		return &refused{method, path, status, string(body[:min(len(body), 500)])}
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("read the answer to %s %s: %w", method, path, err)
	}
	return nil
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
