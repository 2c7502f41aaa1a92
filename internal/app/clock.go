package app

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// clock notes how far our time is from that of AWS, by the dates of its answers. AWS refuses requests whose time is minutes
// off, and claims and leases compare the times of several environments.
type clock struct {
	next aws.HTTPClient
	now  func() time.Time
	skew atomic.Pointer[time.Duration] // nil: no answer had a date
}

func newClock(next aws.HTTPClient) *clock { return &clock{next: next, now: time.Now} }

// Do implements the SDK's HTTP client.
func (c *clock) Do(r *http.Request) (*http.Response, error) {
	sent := c.now()
	resp, err := c.next.Do(r)
	if err != nil {
		return resp, err
	}
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		skew := between(date, sent, c.now())
		c.skew.Store(&skew)
	}
	return resp, nil
}

// between is how far the clock of an answer is ahead of ours at least: the answer was dated, to the second, after we sent and
// before we received. That an environment slept in between proves nothing.
func between(date, sent, received time.Time) time.Duration {
	least, most := date.Sub(received.Round(0)), date.Add(time.Second).Sub(sent.Round(0))
	switch {
	case least > 0:
		return least
	case most < 0:
		return most
	}
	return 0
}
