package main

import (
	"bytes"
	"context"
	"io"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/sign/pdf"
)

func TestFlags(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args string
		good bool
	}{
		{"", true},
		{"-kind notifications -rate 200 -for 20s -faults 0", true},
		{"-kind files,reads", true},
		{"-kind letters", false},
		{"-kind files,files", false},
		{"-rate 0", false},
		{"-rate NaN", false},
		{"-rate 2001", false},
		{"-for 0s", false},
		{"-for 61m", false},
		{"-faults 1001", false},
		{"-wait 0s", false},
		{"-wait 61m", false},
		{"-rate 2000 -for 2m", false}, // more than is remembered
		{"-kills 20s -for 30m", true},
		{"-kills sign=10s,api=1m", true},
		{"-kills sign=10s,sign=1m", false},
		{"-kills signs=10s", false},
		{"-kills sign", false},
		{"-kills 100ms", false},
		{"-kills sign=-1s", false},
		{"-kills 20s -update", true},
		{"-update", false},
		{"-curve 5,10,20.5 -for 30s", true},
		{"-curve 5,5", false},
		{"-curve 10,5", false},
		{"-curve 0", false},
		{"-curve NaN", false},
		{"-curve 5,x", false},
		{"-curve 2001", false},
		{"-curve 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21", false},
		{"-curve 5 -kills 20s", false},
		{"more", false},
	}
	for _, tt := range tests {
		if _, err := parse(strings.Fields(tt.args), io.Discard); (err == nil) != tt.good {
			t.Errorf("parse(%q) = %v, want good %t", tt.args, err, tt.good)
		}
	}
	if o, err := parse([]string{"-seed", "0"}, io.Discard); err != nil || o.seed == 0 {
		t.Errorf("a seed that is to be drawn is %d, %v", o.seed, err)
	}
}

func TestRatesAddUp(t *testing.T) {
	t.Parallel()
	for _, kinds := range [][]kind{allKinds(), {files}, {dispatches, reads}} {
		sum := 0.0
		for _, r := range rates(kinds, 30) {
			sum += r
		}
		if math.Abs(sum-30) > 1e-9 {
			t.Errorf("%v: %g a second, want 30", kinds, sum)
		}
	}
}

// TestPaceDoesNotWait: what is slow does not hold up what comes after it, and its turn was when it was.
func TestPaceDoesNotWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var n atomic.Int64
		pace(t.Context(), 10, 2*time.Second, func(i int, due time.Time) {
			n.Add(1)
			if want := time.Duration(i) * 100 * time.Millisecond; due.Sub(start) != want || time.Since(due) != 0 {
				t.Errorf("%d was due after %v and came %v late, want %v", i, due.Sub(start), time.Since(due), want)
			}
			time.Sleep(time.Second)
		})
		if n.Load() != 20 {
			t.Errorf("%d were begun, want 20", n.Load())
		}
		if took := time.Since(start); took != 2900*time.Millisecond {
			t.Errorf("it took %v, want until the last has ended", took)
		}
	})
}

func TestPaceHoldsBackAndMeasuresIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var under, most, late, n atomic.Int64
		start := time.Now()
		pace(t.Context(), 1000, time.Second, func(_ int, due time.Time) {
			n.Add(1)
			most.Store(max(most.Load(), under.Add(1)))
			late.Store(max(late.Load(), int64(time.Since(due))))
			time.Sleep(time.Second)
			under.Add(-1)
		})
		if most.Load() > atOnce || late.Load() == 0 {
			t.Errorf("%d at once, at most %v late", most.Load(), time.Duration(late.Load()))
		}
		if took := time.Since(start); took > 2100*time.Millisecond || n.Load() > 2*atOnce {
			t.Errorf("%d were begun, which took %v: what was held back is begun for ever", n.Load(), took)
		}
	})
}

func TestPaceEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	pace(ctx, 1, time.Hour, func(int, time.Time) {})
}

// TestPapersCanBeSigned: each is a PDF of its size that the product's reader takes.
func TestPapersCanBeSigned(t *testing.T) {
	t.Parallel()
	for i, doc := range stack(1) {
		if want := sizes[i].bytes; len(doc) < want*9/10 || len(doc) > want*11/10 {
			t.Errorf("%d bytes, want about %d", len(doc), want)
		}
		if _, err := pdf.Open(bytes.NewReader(doc), int64(len(doc))); err != nil {
			t.Errorf("a paper of %d bytes: %v", len(doc), err)
		}
	}
}

func TestSizesAreShares(t *testing.T) {
	t.Parallel()
	count := make([]int, len(sizes))
	for n := range 100 {
		count[sizeOf(n)]++
	}
	for i, s := range sizes {
		if count[i] != s.of100 {
			t.Errorf("%d of 100 have %d bytes, want %d", count[i], s.bytes, s.of100)
		}
	}
}

func TestFigures(t *testing.T) {
	t.Parallel()
	var hundred []time.Duration
	for n := range 100 {
		hundred = append(hundred, time.Duration(100-n))
	}
	tests := []struct {
		of      []time.Duration
		percent int
		want    time.Duration
	}{
		{nil, 50, 0}, {hundred, 50, 50}, {hundred, 99, 99}, {hundred, 100, 100}, {hundred[:1], 99, 100}, {hundred[98:], 50, 1},
	}
	for _, tt := range tests {
		if got := figure(tt.of, tt.percent); got != tt.want {
			t.Errorf("figure(%d values, %d) = %d, want %d", len(tt.of), tt.percent, got, tt.want)
		}
	}
}

func TestAnswersAreJudged(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name            string
		got             answer
		faults, without int // what is broken with faults, and without
	}{
		{"as wanted", answer{202, ""}, 0, 0}, {"the function died", answer{500, ""}, 0, 1}, {"nobody", answer{}, 0, 1},
		{"what it needs did not answer", answer{503, "signer-notification.unavailable"}, 0, 1},
		{"the service failed", answer{500, "internal"}, 1, 1}, {"wrong", answer{204, ""}, 1, 1},
	}
	for _, tt := range tests {
		a := newAnswers()
		a.add("x", time.Second, tt.got, 202)
		if with, without := a.broken(true), a.broken(false); len(with) != tt.faults || len(without) != tt.without {
			t.Errorf("%s: broken %q with faults, %q without", tt.name, with, without)
		}
	}
	many := newAnswers()
	for range mostWrong + 5 {
		many.add("x", 0, answer{status: 200}, 202)
	}
	if got := many.broken(true); len(got) != mostWrong+1 || got[mostWrong] != "5 more wrong answers" {
		t.Errorf("broken: %d, the last %q", len(got), got[len(got)-1])
	}
}

func TestReportSaysWhatIsBroken(t *testing.T) {
	t.Parallel()
	s := good()
	s.depths = nil
	s.started, s.stopped = time.Time{}, time.Time{}.Add(time.Second)
	r := report{options: options{kinds: allKinds(), last: time.Second}, begun: 5, snapshot: s, answers: map[string]*series{
		"forged notification": {took: []time.Duration{time.Millisecond}, statuses: map[int]int{401: 1}},
	}}
	var kept, broken bytes.Buffer
	r.write(&kept)
	r.broken = []string{"this one"}
	r.write(&broken)
	for _, want := range []string{"| files | 1 | 1 | 0 | 0 |", "| dispatches | 2 | 1 | 0 | 1 |", "notifications, all of them | 1 |", "All promises were kept."} {
		if !strings.Contains(kept.String(), want) {
			t.Errorf("the report does not say %q:\n%s", want, kept.String())
		}
	}
	if !slices.Contains(strings.Split(broken.String(), "\n"), "  - this one") {
		t.Errorf("the report does not say what is broken:\n%s", broken.String())
	}
}
