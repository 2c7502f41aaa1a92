package app_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"bulksigner/internal/app"
)

// dated answers with a date, or not at all.
type dated struct {
	date string
	err  error
}

func (d dated) Do(*http.Request) (*http.Response, error) {
	if d.err != nil {
		return nil, d.err
	}
	return &http.Response{Header: http.Header{"Date": {d.date}}}, nil
}

func TestClock(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, time.July, 15, 12, 0, 0, 0, time.UTC)
	date := noon.Format(http.TimeFormat)
	tests := []struct {
		name           string
		sent, received time.Duration // after noon
		answer         dated
		want           time.Duration
		known          bool
	}{
		{"the same time", 0, 300 * time.Millisecond, dated{date: date}, 0, true},
		{"within the second of the date", 900 * time.Millisecond, 950 * time.Millisecond, dated{date: date}, 0, true},
		{"we are behind", -2 * time.Minute, -2*time.Minute + time.Second, dated{date: date}, 2*time.Minute - time.Second, true},
		{"we are ahead", 2 * time.Minute, 3 * time.Minute, dated{date: date}, time.Second - 2*time.Minute, true},
		{"we slept meanwhile", -time.Second, time.Hour, dated{date: date}, 0, true},
		{"no date", 0, 0, dated{}, 0, false},
		{"another kind of date", 0, 0, dated{date: "today"}, 0, false},
		{"no answer", 0, 0, dated{err: errors.New("cut")}, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			times := []time.Time{noon.Add(tt.sent), noon.Add(tt.received)}
			c := app.NewClock(tt.answer, func() time.Time {
				next := times[0]
				times = times[1:]
				return next
			})
			if _, err := c.Do(nil); !errors.Is(err, tt.answer.err) {
				t.Errorf("the error of the answer became %v", err)
			}
			if got, known := c.Skew(); got != tt.want || known != tt.known {
				t.Errorf("the skew is %v (known: %v), want %v", got, known, tt.want)
			}
		})
	}
}
