package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"time"

	"bulksigner/internal/job"
)

// idempotencyKey names a request that its client may send again.
const idempotencyKey = "Idempotency-Key"

// upload hands a file in through the API. A client that is not answered sends the same again under the same name.
func (l *load) upload(ctx context.Context, n int, due time.Time) error {
	name := fmt.Sprintf("Recibo %06d.pdf", n)
	l.remember(item{uploads, job.UploadPrefix + name, due})
	body, mediaType, err := form(name, l.papers[n%2])
	if err != nil {
		return err
	}
	return unanswered(l.client.ask(ctx, request{
		name: "POST /api/files", method: http.MethodPost, path: "/api/files?profile=" + folders[n%3], due: due, body: body,
		header: http.Header{"Content-Type": {mediaType}, idempotencyKey: {fmt.Sprintf("load-%d-file-%d", l.seed, n)}},
		want:   []int{http.StatusAccepted},
	}, nil))
}

// form is a file as the API takes it.
func form(name string, content []byte) (body []byte, mediaType string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(content)
	}
	err = errors.Join(err, w.Close())
	return b.Bytes(), w.FormDataContentType(), err
}

// read asks the API for the newest jobs, or for one that it told of before. Of what failed an operator has some tried again.
func (l *load) read(ctx context.Context, n int, due time.Time) error {
	if known, ok := l.known(); ok && n%2 == 1 {
		return unanswered(l.client.ask(ctx, request{name: "GET /api/jobs/{id}", path: jobPath(known.ID), due: due}, nil))
	}
	var p page
	if err := l.client.ask(ctx, request{name: "GET /api/jobs", path: "/api/jobs?pageSize=50", due: due}, &p); err != nil {
		return unanswered(err)
	}
	l.mu.Lock()
	l.seen = p.Items
	l.mu.Unlock()
	if n%8 == 0 {
		return l.operate(ctx, p.Items)
	}
	return nil
}

// unanswered lets answers pass that are noted already: they are judged at the end.
func unanswered(err error) error {
	if _, answered := errors.AsType[*refused](err); answered {
		return nil
	}
	return err
}

// operate has one failed job of a list tried again.
func (l *load) operate(ctx context.Context, jobs []row) error {
	for _, r := range jobs {
		if r.Status == job.Failed && r.ParentID == nil && l.claim(r.ID) {
			return unanswered(l.retry(ctx, r.ID))
		}
	}
	return nil
}

// claim reports whether nobody has had a job tried again before.
func (l *load) claim(id job.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.tried[id]
	l.tried[id] = true
	return !before
}

// retry has a job tried again. 409 and 410 say that what it was about has moved on.
func (l *load) retry(ctx context.Context, id job.ID) error {
	return l.client.ask(ctx, request{
		name: "POST /api/jobs/{id}/retry", method: http.MethodPost, path: jobPath(id) + "/retry", due: time.Now(),
		header: http.Header{idempotencyKey: {fmt.Sprintf("load-%d-retry-%s", l.seed, id)}},
		want:   []int{http.StatusAccepted, http.StatusConflict, http.StatusGone},
	}, nil)
}
