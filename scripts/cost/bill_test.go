package main

import (
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"bulksigner/internal/local/ledger"
)

// near is close enough for prices.
var near = cmpopts.EquateApprox(0, 1e-9)

func example() reckoning {
	return reckoning{
		counts: counts{
			Methods: []method{{Name: "M", Each: accounts{
				"sign":       {ledger.S3Get: 1, ledger.S3Put: 2, ledger.TableRequests: 5, ledger.TableWrite: 10, logBytes: 1 << 20, ledger.Invocation: 1},
				"notify":     {ledger.Invocation: 3},
				"sign.queue": {ledger.SQSReceive: 1},
			}, Out: 1 << 20}},
			Passes:  []pass{{Function: "recover", Due: accounts{"recover": {ledger.S3List: 8, ledger.Invocation: 1}}, Other: accounts{"recover": {ledger.TableRead: 2, ledger.Invocation: 1, ledger.Milliseconds: 4000}}, DueEvery: 60}},
			Metrics: 2, Alarms: 3,
		},
		prices: prices{
			Memory: map[string]float64{"sign": 512, "notify": 256, "recover": 256}, SignDiskMB: 1536,
			Milliseconds: map[ledger.Item]float64{ledger.S3Get: 100, ledger.TableRequests: 20, ledger.Invocation: 300},
			Prices: []price{
				{Item: ledger.S3Get, Service: "S3", Per: 1000, USD: 1}, {Item: ledger.S3Put, Service: "S3", Per: 10, USD: 1}, {Item: ledger.S3List, Service: "S3", Per: 1, USD: 1},
				{Item: ledger.TableWrite, Service: "DynamoDB", Per: 1, USD: 0.5}, {Item: ledger.TableRead, Service: "DynamoDB", Per: 1, USD: 0.25},
				{Item: ledger.SQSReceive, Service: "SQS", Per: 1, USD: 1}, {Item: ledger.SQSEmpty, Service: "SQS", Per: 1000, USD: 1},
				{Item: ledger.Invocation, Service: "Lambda", Per: 1, USD: 2}, {Item: gbSeconds, Service: "Lambda", Per: 1, USD: 10},
				{Item: diskGBSeconds, Service: "Lambda", Per: 1, USD: 1}, {Item: apiRequests, Service: "API", Per: 1, USD: 1}, {Item: logGB, Service: "Logs", Per: 1, USD: 1024},
				{Item: ledger.Secret, Service: "Secrets", Per: 1, USD: 1}, {Item: "secrets.months", Service: "Secrets", Per: 1, USD: 1}, {Item: "kms.key-months", Service: "KMS", Per: 1, USD: 1},
				{Item: "scheduler.invocations", Service: "Scheduler", Per: 1000, USD: 1},
				{Item: "alarms.months", Service: "CloudWatch", Per: 1, USD: 0.1}, {Item: "dashboards.months", Service: "CloudWatch", Per: 1, USD: 3}, {Item: "metrics.months", Service: "CloudWatch", Per: 1, USD: 0.3},
			},
		},
	}
}

// TestSums reckons a document by hand: sign takes 100 + 5×20 + 300 ms = 0.5 s of half a GB, and 1 GB of disk; notify takes 0.9 s of
// a quarter.
func TestSums(t *testing.T) {
	t.Parallel()
	b, err := example().bill()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"S3": 1 + 200, "DynamoDB": 5000, "SQS": 1000, "API": 3000, "Logs": 1000,
		"Lambda": 1000 * (4*2 + (0.5*0.5+0.9*0.25)*10 + 0.5*1),
	}
	total := 0.0
	for _, usd := range want {
		total += usd
	}
	if diff := cmp.Diff(want, b.methods[0].services, near); diff != "" {
		t.Errorf("services (-want +got):\n%s", diff)
	}
	if math.Abs(b.methods[0].total-total) > 1e-6 {
		t.Errorf("together %g, want %g", b.methods[0].total, total)
	}
}

// TestMonth: of 43 200 minutes 720 have a pass that is due. A time that was measured counts where it is longer.
func TestMonth(t *testing.T) {
	t.Parallel()
	const all, due = 43_200, 720
	want := amounts{
		ledger.S3List: due * 8, ledger.TableRead: (all - due) * 2, ledger.Invocation: all, apiRequests: 0,
		gbSeconds: due*0.3*0.25 + (all-due)*4*0.25,
	}
	if diff := cmp.Diff(want, example().monthly(), near); diff != "" {
		t.Errorf("a month (-want +got):\n%s", diff)
	}
	b, err := example().bill()
	if err != nil {
		t.Fatal(err)
	}
	got := map[ledger.Item]float64{}
	for _, l := range b.idle {
		got[l.item] += l.usd
	}
	for item, usd := range map[ledger.Item]float64{"scheduler.invocations": 43.2, "alarms.months": 0.3, "metrics.months": 0.6, "dashboards.months": 3, ledger.TableRead: 21_240, ledger.SQSEmpty: 1296} {
		if math.Abs(got[item]-usd) > 1e-6 {
			t.Errorf("%s costs %g, want %g", item, got[item], usd)
		}
	}
}

// TestNothingIsFreeByMistake: what has no price is an error, not a zero.
func TestNothingIsFreeByMistake(t *testing.T) {
	t.Parallel()
	r := example()
	r.Methods[0].Each["sign"]["s3.teleport"] = 1
	if _, err := r.bill(); err == nil || !strings.Contains(err.Error(), "s3.teleport has no price") {
		t.Errorf("err = %v, want one that names s3.teleport", err)
	}
}

func real(t *testing.T) reckoning {
	t.Helper()
	r, err := load("../..")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEveryItemHasAPrice: whatever the ledger counts has one, or is known to have none, and no price stands there twice.
func TestEveryItemHasAPrice(t *testing.T) {
	t.Parallel()
	r := real(t)
	more := []ledger.Item{gbSeconds, diskGBSeconds, apiRequests, logGB}
	for _, x := range extras {
		more = append(more, x.item)
	}
	for _, item := range slices.Concat(ledger.Items, more) {
		_, priced := r.price(item)
		if free := slices.Contains(unbilled, item); priced == free {
			t.Errorf("%s: priced %t, known to have no price %t", item, priced, free)
		}
	}
	seen := map[ledger.Item]bool{}
	for _, p := range r.Prices {
		if seen[p.Item] || p.Per <= 0 || p.USD < 0 || p.Unit == "" || p.Source == "" {
			t.Errorf("the price of %s is there twice, or no price: %+v", p.Item, p)
		}
		seen[p.Item] = true
	}
	if r.AsOf == "" || r.Note == "" {
		t.Error("the prices have no date, or do not say where they come from")
	}
}

// TestPages: they are what comes of the files.
func TestPages(t *testing.T) {
	t.Parallel()
	r := real(t)
	b, err := r.bill()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../" + costPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(page), string(b.page())); diff != "" {
		t.Errorf("%s (-is +comes of the files):\n%s", costPage, diff)
	}
	counted, err := os.ReadFile("../../" + countsPage)
	if err != nil {
		t.Fatal(err)
	}
	if is, err := between(counted, r.table()); err != nil || string(is) != string(counted) {
		t.Errorf("the table in %s is not that of the counts: %v", countsPage, err)
	}
}

// TestAlarms holds the number of alarms that the price reckons with to the deployment.
func TestAlarms(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		if os.Getenv("BULKSIGNER_NO_SKIP") == "1" {
			t.Fatal("node is not on PATH: install Node.js (package nodejs)")
		}
		t.Skip("node is not on PATH: install Node.js (package nodejs) to count the deployment's alarms")
	}
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	n, err := alarms(context.WithoutCancel(t.Context()), module)
	if err != nil {
		t.Fatal(err)
	}
	if want := real(t).Alarms; n != want {
		t.Errorf("the deployment's alarms look at %d metrics, and %s says %d: write it there, and then make cost WRITE=1", n, requestsFile, want)
	}
}

func TestAlarmMetrics(t *testing.T) {
	t.Parallel()
	const template = `{"Resources":{
		"One":{"Type":"AWS::CloudWatch::Alarm","Properties":{"MetricName":"Errors"}},
		"Formula":{"Type":"AWS::CloudWatch::Alarm","Properties":{"Metrics":[{"Id":"a","MetricStat":{}},{"Id":"b","MetricStat":{}},{"Expression":"a+b"}]}},
		"Other":{"Type":"AWS::SQS::Queue","Properties":{}}}}`
	if n, err := alarmMetrics([]byte(template)); n != 3 || err != nil {
		t.Errorf("%d metrics, %v, want 3", n, err)
	}
}

func TestMetricsOf(t *testing.T) {
	t.Parallel()
	const line = `{"_aws":{"CloudWatchMetrics":[{"Dimensions":[[],["code"]],"Metrics":[{"Name":"jobs"},{"Name":"bytes"}]}]},"code":"x","jobs":1,"bytes":2}`
	got := metricsOf([]byte(line))
	if diff := cmp.Diff([]string{"jobs", `jobs code="x"`, "bytes", `bytes code="x"`}, got); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
	for _, other := range []string{"", "no JSON", `{"level":"INFO"}`, `{"_aws":1}`} {
		if got := metricsOf([]byte(other)); got != nil {
			t.Errorf("%s has metrics %v", other, got)
		}
	}
}

func TestBetween(t *testing.T) {
	t.Parallel()
	page := "before\n" + from + "old\n" + to + "after\n"
	if got, err := between([]byte(page), []byte("new\n")); err != nil || string(got) != "before\n"+from+"new\n"+to+"after\n" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, bad := range []string{"", from, to, "before\n" + to + from} {
		if _, err := between([]byte(bad), nil); err == nil {
			t.Errorf("%q passes for a page with marks", bad)
		}
	}
	if err := settle(filepath.Join(t.TempDir(), "none"), false, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("err = %v, want that there is no page", err)
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for n, want := range map[float64]string{0: "0", 1: "1", 2.5: "2.5", 0.06: "0.06", 43_200: "43 200", 1_296_000: "1 296 000", 999.99: "999.99"} {
		if got := grouped(n); got != want {
			t.Errorf("%g is written %q, want %q", n, got, want)
		}
	}
}
