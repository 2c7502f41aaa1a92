package api_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
	"time"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// closing notes that it was closed.
type closing struct {
	io.Reader
	closed *int
}

func (c closing) Close() error { *c.closed++; return nil }

// everyByte is content that no text encoding survives.
func everyByte(size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i*7 + i/256)
	}
	return b
}

const outputPath = "/api/jobs/" + string(id1) + "/output"

func TestOutputInline(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 5000, api.MaxInline} {
		s, closed := newService(t), 0
		s.jobs[id1] = completed()
		want := everyByte(size)
		s.outputs[completed().Output.Key] = job.Download{Body: closing{bytes.NewReader(want), &closed}, Size: int64(size), ContentType: "application/pdf"}
		r := s.send(t, "GET", outputPath, "")
		got, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != 200 || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes: status %d, %d bytes, %v", size, r.StatusCode, len(got), err)
		}
		if ct := r.Header.Get("Content-Type"); ct != "application/pdf" {
			t.Errorf("Content-Type = %q", ct)
		}
		disposition := `attachment; filename="a__o <1>.signed.pdf"; filename*=UTF-8''a%C3%A7%C3%A3o%20%3C1%3E.signed.pdf`
		if cd := r.Header.Get("Content-Disposition"); cd != disposition {
			t.Errorf("Content-Disposition = %s, want %s", cd, disposition)
		}
		if closed != 1 || s.asked()["PresignGet"] != 0 {
			t.Errorf("closed %d times, calls %v", closed, s.asked())
		}
	}
}

func TestOutputElsewhere(t *testing.T) {
	t.Parallel()
	s, closed := newService(t), 0
	s.jobs[id1] = completed()
	s.outputs[completed().Output.Key] = job.Download{Body: closing{iotest.ErrReader(errors.New("must not be read")), &closed}, Size: api.MaxInline + 1}
	r := s.send(t, "GET", outputPath, "")
	if want := "https://out.example/" + completed().Output.Key + "?name=ação <1>.signed.pdf"; r.StatusCode != 303 || r.Header.Get("Location") != want {
		t.Errorf("answer = %d to %q, want 303 to %q", r.StatusCode, r.Header.Get("Location"), want)
	}
	if len(s.expires) != 1 || s.expires[0] != time.Minute || closed != 1 {
		t.Errorf("links live %v, closed %d times; want one for a minute, once", s.expires, closed)
	}
}

func TestOutputRefused(t *testing.T) {
	t.Parallel()
	whole := job.Download{Body: io.NopCloser(bytes.NewReader([]byte("abc"))), Size: 3}
	tests := []struct {
		name   string
		change func(*job.Job, *job.Download)
		fail   string
		err    error
		status int
		code   fault.Code
	}{
		{"queued", func(j *job.Job, _ *job.Download) { j.Status = job.Queued }, "", nil, 409, fault.JobOutputUnavailable},
		{"failed", func(j *job.Job, _ *job.Download) { j.Status = job.Failed }, "", nil, 409, fault.JobOutputUnavailable},
		{"completed without a key", func(j *job.Job, _ *job.Download) { j.Output.Key = "" }, "", nil, 410, fault.JobOutputGone},
		{"gone", nil, "Open", fault.New(fault.JobOutputGone, "there is no such object"), 410, fault.JobOutputGone},
		{"storage down", nil, "Open", errors.New("connection refused"), 500, fault.Internal},
		{"store down", nil, "Get", errors.New("connection refused"), 500, fault.Internal},
		{"no link", func(_ *job.Job, d *job.Download) { d.Size = api.MaxInline + 1 }, "PresignGet", errors.New("no credentials"), 500, fault.Internal},
		{"shorter than it says", func(_ *job.Job, d *job.Download) { d.Size = 4 }, "", nil, 500, fault.Internal},
		{"longer than it says", func(_ *job.Job, d *job.Download) { d.Size = 2 }, "", nil, 500, fault.Internal},
		{"broken off", func(_ *job.Job, d *job.Download) { d.Body = io.NopCloser(iotest.ErrReader(errors.New("reset"))) }, "", nil, 500, fault.Internal},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, j, d := newService(t), completed(), whole
			d.Body = io.NopCloser(bytes.NewReader([]byte("abc")))
			if tt.change != nil {
				tt.change(&j, &d)
			}
			s.jobs[id1], s.outputs[completed().Output.Key], s.fail[tt.fail] = j, d, tt.err
			r := s.send(t, "GET", outputPath, "")
			wantProblem(t, r, tt.status, tt.code)
			if cd := r.Header.Get("Content-Disposition"); cd != "" {
				t.Errorf("a refusal with Content-Disposition %q", cd)
			}
		})
	}
}

func TestOutputOfUnknownTypeIsBytes(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"", "pdf", "text/html\r\nX: 1", "ação/1"} {
		s := newService(t)
		s.jobs[id1] = completed()
		s.outputs[completed().Output.Key] = job.Download{Body: io.NopCloser(bytes.NewReader(nil)), ContentType: kind}
		if got := s.send(t, "GET", outputPath, "").Header.Get("Content-Type"); got != "application/octet-stream" {
			t.Errorf("%q is answered as %q", kind, got)
		}
	}
}
