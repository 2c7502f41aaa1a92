package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/job"
)

func TestPartsAreOfTheirServices(t *testing.T) {
	t.Parallel()
	tests := []struct {
		stack string // from the innermost function outwards
		want  part
	}{
		{"crypto/internal/fips140/bigmod.addMulVVW2048 github.com/nsmithuk/local-kms/src/cmk.Sign bulksigner/internal/local/emulator.keys.ServeHTTP", keyPart},
		{"runtime.mallocgc github.com/sivchari/kumo/internal/service/dynamodb.(*MemoryStorage).PutItem github.com/sivchari/kumo/internal/server.serve", tablePart},
		{"encoding/json.Marshal bulksigner/internal/local/emulator.guarded bulksigner/internal/local/emulator.(*front).ServeHTTP", tablePart},
		{"syscall.Syscall net/http/httputil.(*ReverseProxy).ServeHTTP bulksigner/internal/local/emulator.(*front).ServeHTTP", frontPart},
		{"github.com/sivchari/kumo/internal/service/sqs.(*Service).Receive", wakePart},
		{"github.com/aws/aws-sdk-go-v2/aws/signer.Sign bulksigner/internal/local/host.Poller.Once", wakePart},
		{"syscall.write github.com/versity/versitygw/backend/posix.(*Posix).PutObject github.com/valyala/fasthttp.(*Server).serveConn", objectPart},
		{"syscall.read github.com/valyala/fasthttp.(*Server).serveConn", objectPart},
		{"github.com/aws/aws-sdk-go-v2/service/s3.(*Client).PutObject main.(*load).drop", loadPart},
		{"runtime.scanobject runtime.gcDrain runtime.gcBgMarkWorker", restPart},
		{"syscall.read net/http.(*conn).serve", restPart},
	}
	for _, tt := range tests {
		if got := partOf(strings.Fields(tt.stack)); got != tt.want {
			t.Errorf("%s is work of %q, want %q", tt.stack, got, tt.want)
		}
	}
}

func TestTopPackages(t *testing.T) {
	t.Parallel()
	for function, want := range map[string]string{
		"crypto/internal/fips140/bigmod.addMulVVW2048":     "crypto",
		"internal/runtime/syscall/linux.Syscall6":          "internal/runtime",
		"runtime.mallocgc":                                 "runtime",
		"main.(*load).drop":                                "main",
		"bulksigner/internal/local/host.Poller.Once":       "bulksigner/internal",
		"github.com/sivchari/kumo/internal/service/sqs.Do": "github.com/sivchari/kumo",
		"aeshashbody": "aeshashbody",
	} {
		if got := topOf(function); got != want {
			t.Errorf("the package of %s is %q, want %q", function, got, want)
		}
	}
}

// aProfile is what pprof writes.
const aProfile = `File: load
Type: cpu
Duration: 1s, Total samples = 100ms (10%)
-----------+-------------------------------------------------------
      60ms   crypto/sha256.block (inline)
             main.(*load).drop
             main.main
-----------+-------------------------------------------------------
      40ms   runtime.scanobject
             runtime.gcBgMarkWorker
`

func TestTracesAreAddedUp(t *testing.T) {
	t.Parallel()
	s, err := readTraces(strings.NewReader(aProfile))
	if err != nil {
		t.Fatal(err)
	}
	if s.all != 100*time.Millisecond || s.parts[loadPart] != 60*time.Millisecond || s.parts[restPart] != 40*time.Millisecond {
		t.Errorf("spent %v: %v", s.all, s.parts)
	}
	if got, want := s.most(6), "`crypto` 60 %, `runtime` 40 %"; got != want {
		t.Errorf("most = %s, want %s", got, want)
	}
	if _, err := readTraces(strings.NewReader("-----\n  sixty   main.main\n")); err == nil {
		t.Error("what is no time is taken for one")
	}
}

// TestAProfileIsRead: from the beginning to what the tool makes of it. Whether a sample is taken in so short a time is chance.
func TestAProfileIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cpu.pprof")
	stop, err := profileTo(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := sharesOf(t.Context(), path); err != nil {
		t.Error(err)
	}
	if _, err := sharesOf(t.Context(), path+"x"); err == nil {
		t.Error("a profile that is not there is read")
	}
}

// aStep is one that follows: 10 a second for 10 s.
func aStep() step {
	return step{
		rate: 10, lasted: 10 * time.Second, begun: 100, inTime: 100, queue: []int{1, 1, 1, 1, 1, 2}, atWork: 1,
		functions: map[string]time.Duration{"sign": 2 * time.Second, "api": time.Second},
		this:      5 * time.Second, others: time.Second, idle: 11 * time.Second,
		spent: spending{all: 2 * time.Second, parts: map[part]time.Duration{objectPart: time.Second, restPart: time.Second},
			tops: map[string]time.Duration{"runtime": 2 * time.Second}},
		took: []time.Duration{time.Second},
	}
}

func TestWhetherAStepFollows(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*step)
		want   bool
	}{
		{"all completed", func(*step) {}, true},
		{"just enough", func(s *step) { s.inTime = 90 }, true},
		{"too little", func(s *step) { s.inTime = 89 }, false},
		{"the queue grows", func(s *step) { s.queue = []int{0, 0, 10, 10, 16, 17} }, false},
		{"the queue is long, and stays so", func(s *step) { s.queue = []int{90, 90, 90, 90, 90, 90} }, true},
		{"too few looks to tell", func(s *step) { s.queue = []int{0, 90} }, true},
	}
	for _, tt := range tests {
		s := aStep()
		tt.change(&s)
		if got := s.follows(); got != tt.want {
			t.Errorf("%s: follows = %t, want %t", tt.name, got, tt.want)
		}
	}
}

func TestAStepIsJudgedByItsJobs(t *testing.T) {
	t.Parallel()
	start := time.Unix(1000, 0)
	items := map[string]item{}
	for _, key := range []string{"a", "b", "c", "d"} {
		items[key] = item{files, key, start}
	}
	s := step{begun: 4}
	s.judge([]row{
		{OriginalPath: "a", Status: job.Completed, UpdatedAt: start.Add(time.Second)},
		{OriginalPath: "b", Status: job.Completed, UpdatedAt: start.Add(3 * time.Second)},
		{OriginalPath: "c", Status: job.Failed, UpdatedAt: start},
		{OriginalPath: "d", Status: job.Processing, UpdatedAt: start},
		{OriginalPath: "of another rate", Status: job.Completed, UpdatedAt: start},
	}, items, start.Add(2*time.Second))
	if s.inTime != 1 || len(s.took) != 2 || s.failed != 1 || s.unended != 1 || !s.spoilt() {
		t.Errorf("judged: %+v", s)
	}
}

// TestCPUIsWhatWasSpentInBetween: a process that began meanwhile has spent all of its own, and others the rest.
func TestCPUIsWhatWasSpentInBetween(t *testing.T) {
	t.Parallel()
	var s step
	s.spend(
		map[int]process{1: {name: this, spent: 10 * time.Second}, 2: {name: "sign", spent: time.Second}},
		map[int]process{1: {name: this, spent: 13 * time.Second}, 2: {name: "sign", spent: 2 * time.Second}, 3: {name: "sign", spent: time.Second}},
		machine{busy: 100 * time.Second, idle: 10 * time.Second}, machine{busy: 106 * time.Second, idle: 11 * time.Second},
	)
	if s.this != 3*time.Second || s.functions["sign"] != 2*time.Second || s.others != time.Second || s.idle != time.Second {
		t.Errorf("spent: %+v", s)
	}
}

func TestTheCurveIsWrittenDown(t *testing.T) {
	t.Parallel()
	s := aStep()
	if want := "| 10 | 10.0 | 1.0 s / 1.0 s | 2 | 1.0 | 20 % | 10 % | 25 % | 0 % | 0 % | 0 % | 0 % | 0 % | 25 % | 10 % | 110 % |\n"; s.line() != want {
		t.Errorf("line = %s, want %s", s.line(), want)
	}
	if heads := strings.SplitN(heading(), "\n", 2)[0]; strings.Count(heads, "|") != strings.Count(s.line(), "|") {
		t.Errorf("the table has as many columns in its head as in its rows:\n%s%s", heads, s.line())
	}
	full, busy, grown := aStep(), aStep(), aStep()
	full.idle, full.inTime = 0, 50
	busy.atWork = 4
	alone := full
	alone.others = 0
	grown.queue, grown.failed = []int{0, 0, 10, 10, 90, 99}, 3
	for want, s := range map[string]step{
		"10 a second, the service still followed. Nothing was scarce": aStep(),
		"less than 90 % was completed meanwhile. The CPU was full":    full,
		"and 10 % of it had by other programs":                        full,
		"% were idle. Most":                                           alone,
		"The 4 processes of `sign` are what is scarce":                busy,
		"At 10 a second the queue grew.":                              grown,
		"3 files FAILED and 0 did not end.":                           grown,
		"Most CPU there: S3 25 %, the rest 25 %, `sign` 20 %.":        aStep(),
	} {
		if got := ending([]step{s}); !strings.Contains(got, want) {
			t.Errorf("the ending does not say %q: %s", want, got)
		}
	}
}

func TestFiguresGoBetweenTheirMarks(t *testing.T) {
	t.Parallel()
	page := "before\n" + curveMarks.from + "old\n" + curveMarks.to + "between\n" + soakMarks.from + soakMarks.to
	path := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := rewrite(path, curveMarks, "\nnew\n"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != strings.Replace(page, "old", "new", 1) {
		t.Errorf("the page is now %q, %v", got, err)
	}
	if _, err := (marks{"<!-- a -->", "<!-- b -->"}).between(got, "x"); err == nil {
		t.Error("a page without marks was written")
	}
}

// TestThePageHasTheMarks that the figures go between.
func TestThePageHasTheMarks(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", performance))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []marks{curveMarks, soakMarks} {
		if _, err := m.between(page, ""); err != nil {
			t.Errorf("%s: %v", strings.TrimSpace(m.from), err)
		}
	}
}

// TestSummaryIsWhatThePageTells of a soak.
func TestSummaryIsWhatThePageTells(t *testing.T) {
	t.Parallel()
	s := good()
	s.started, s.stopped = time.Time{}, time.Time{}.Add(time.Minute)
	r := report{
		options: options{kinds: allKinds(), rate: 10, faults: 50, seed: 7, wait: time.Minute, kills: kills{"sign": 2 * time.Second}},
		killed:  map[string]deaths{"sign": {2, 1}}, begun: 600, retried: 1, settled: time.Second, snapshot: s,
		answers: map[string]*series{"x": {repeated: 3}}, before: map[string]int{"PROFILES": 4},
		memory: map[string]growth{"sign": {most: need{60 * mib, 30 * mib, 2}, begin: 20 * mib, end: 21 * mib}},
	}
	got := r.summary()
	for _, want := range []string{
		"10 things a second for 1m0s, 50 faults to a thousand, seed 7", "| `sign` | 2s | 3 | 2 | 1 |", "AwaitingSigner 1, Completed 3, Failed signer.unreachable 1",
		"repeated: 3", "| `sign` | 30 | 60 | 20.0 | 21.0 | +1.0 |", "4 at the begin", "All promises were kept.", "Everything had ended 1.0 s after the load.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the summary does not say %q:\n%s", want, got)
		}
	}
	var early bytes.Buffer
	r.early = true
	r.verdict(&early)
	if !strings.Contains(early.String(), "So far no promise was broken") || !strings.Contains(r.ending(), "nobody waited") {
		t.Errorf("of a run that was ended early it says %s %s", r.ending(), early.String())
	}
	r.early, r.settled = false, 2*time.Minute
	if !strings.Contains(r.ending(), "Not everything had ended") {
		t.Errorf("of a run that does not end it says %s", r.ending())
	}
}
