package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"bulksigner/internal/local"
	"bulksigner/internal/local/demo"
	"bulksigner/internal/local/ledger"
)

const (
	documents = 50 // of each method
	warm      = 6  // before them: processes start, keys and profiles are read
	// apart is the time between two documents, so that each finds a process.
	apart = 100 * time.Millisecond
	// quiet is how long nothing must happen before and after what is counted.
	quiet = 3 * time.Second
	// patience is how long the documents of one method may take.
	patience = 4 * time.Minute
)

// count is a run that counts.
type count struct {
	*local.Service
	book   *ledger.Ledger
	client *demo.Client
	out    io.Writer
	made   int // documents, for names
}

// countAnew runs the service, counts, and writes the file of counts.
func countAnew(ctx context.Context, module string, out io.Writer) (err error) {
	data, err := os.MkdirTemp("", "cost")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	c := &count{book: ledger.New(), out: out}
	fmt.Fprintln(out, "building the functions and starting the emulated AWS services ...")
	// The clock ticks once, at the start: what it asks for is counted by itself.
	c.Service, err = local.Start(ctx, local.Options{Dir: filepath.Join(data, "data"), Watch: c.book.Record, Every: 24 * time.Hour, Settings: defaults})
	if err != nil {
		return fmt.Errorf("start the service: %w", err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	slog.SetDefault(slog.New(slog.DiscardHandler)) // the run's own warnings are no news here
	c.client = demo.NewClient(c.URL, c.APIKey)
	counts := counts{Counted: time.Now().UTC().Format(time.DateOnly), Documents: documents}
	if counts.Passes, err = c.passes(ctx); err != nil {
		return err
	}
	if counts.Methods, err = c.methods(ctx); err != nil {
		return err
	}
	if counts.Metrics, err = metricsIn(filepath.Join(c.Dir, "logs")); err != nil {
		return err
	}
	if counts.Alarms, err = alarms(ctx, module); err != nil {
		return err
	}
	content, err := json.MarshalIndent(counts, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(module, requestsFile), append(content, '\n'), 0o644)
}

// defaults has the service go round Lacuna Signer as often as where the settings do not say it, and adds a profile for detached
// signatures.
func defaults(_ context.Context, _ *local.Service, settings map[string]any) error {
	signer := settings["Signer"].(map[string]any)
	delete(signer, "PollIntervalSeconds")
	delete(signer, "FolderSweepIntervalSeconds")
	signing, storage := settings["Signing"].(map[string]any), settings["Storage"].(map[string]any)
	all := signing["Profiles"].([]map[string]any)
	contracts := all[slices.IndexFunc(all, func(p map[string]any) bool { return p["Name"] == "contracts" })]
	signing["Profiles"] = append(all, map[string]any{"Name": "detached", "Format": "Cades", "ValidateCertificate": false,
		"Certificate": contracts["Certificate"], "Signature": map[string]any{"Detached": true}})
	storage["Inputs"] = append(storage["Inputs"].([]map[string]any), map[string]any{"Name": "detached", "Prefix": "detached/", "Profile": "detached"})
	return nil
}

// snapshot is what everybody but the callers of the API has asked for until now.
func (c *count) snapshot() (accounts, error) {
	a := accounts{}
	for e, n := range c.book.Expenses() {
		if e.Who != "" && e.Who != "api" {
			a.add(e.Who, e.Item, n)
		}
	}
	calls := 0
	for _, n := range c.Signer.Counts() {
		calls += n
	}
	a.add("sign", signerCalls, float64(calls))
	for _, who := range counted {
		info, err := os.Stat(filepath.Join(c.Dir, "logs", who+".log"))
		if err != nil {
			return nil, err
		}
		a.add(who, logBytes, float64(info.Size()))
	}
	return a, nil
}

// counted are the functions that have a part in a document. Calls of the API are their callers' affair.
var counted = []string{"sign", "poll", "sweep", "recover", "notify"}

// since is what was asked for between two snapshots.
func (a accounts) since(before accounts) accounts {
	out := accounts{}
	for who, of := range a {
		for item, n := range of {
			if d := n - before[who][item]; d != 0 && item != ledger.SQSEmpty { // how Lambda asks empty queues is reckoned
				out.add(who, item, d)
			}
		}
	}
	return out
}

// rounds is how often everything is woken after the run that the clock began: recovery looks at everything in its second run.
// They are a minute apart, as in a deployment: how long a poll stays awake depends on it.
const (
	rounds = 3
	apace  = time.Minute
)

// passes counts what the clock begins. Due is the run that asked for most, and Other the last one.
func (c *count) passes(ctx context.Context) ([]pass, error) {
	fmt.Fprintln(c.out, "what the clock begins while there is nothing to do ...")
	all := []pass{{Function: "recover", DueEvery: 60}, {Function: "poll", DueEvery: 1}, {Function: "sweep", DueEvery: 5}}
	for i, p := range all {
		first, err := c.afterFirst(ctx, p.Function)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Function, err)
		}
		all[i].Due = accounts{p.Function: first[p.Function]}.scaled(1)
	}
	for range rounds {
		next := time.Now().Add(apace)
		for i := range all {
			if err := c.pass(ctx, &all[i]); err != nil {
				return nil, fmt.Errorf("%s: %w", all[i].Function, err)
			}
		}
		if err := pause(ctx, time.Until(next)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// pass wakes a function once.
func (c *count) pass(ctx context.Context, p *pass) error {
	before, err := c.snapshot()
	if err != nil {
		return err
	}
	if err := c.Wake(ctx, p.Function); err != nil {
		return err
	}
	after, err := c.snapshot()
	if err != nil {
		return err
	}
	p.Other = accounts{p.Function: after.since(before)[p.Function]}.scaled(1)
	if p.Other.requests() >= p.Due.requests() {
		p.Due = p.Other
	}
	return nil
}

// requests is how much a run looked at.
func (a accounts) requests() float64 {
	sum := a.total()
	return sum[ledger.TableRequests] + sum[ledger.S3List]
}

// afterFirst waits for the end of the run that the clock began at the start, and returns what there was until then.
func (c *count) afterFirst(ctx context.Context, function string) (a accounts, err error) {
	err = c.until(ctx, func() (bool, error) {
		a, err = c.snapshot()
		return a[function][ledger.Invocation] > 0, err
	})
	return a, err
}

// until asks until it hears yes.
func (c *count) until(ctx context.Context, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		if is, err := done(); is || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait: %w", ctx.Err())
		case <-tick.C:
		}
	}
}

// background is what is asked for in a while in which nothing is brought.
func (c *count) background(ctx context.Context) (accounts, error) {
	before, err := c.snapshot()
	if err != nil {
		return nil, err
	}
	if err := pause(ctx, quiet); err != nil {
		return nil, err
	}
	after, err := c.snapshot()
	return after.since(before), err
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
