package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"bulksigner/internal/job"
)

// report is what is told of a run.
type report struct {
	options
	snapshot
	before  map[string]int // the table's items before there was anything
	answers map[string]*series
	faulted map[string]int
	killed  map[string]deaths
	memory  map[string]growth
	begun   int
	retried int // jobs that an operator tried again
	ended   int // claims of dead runs for which time went by
	settled time.Duration
	broken  []string
}

// write writes the report, with tables in Markdown.
func (r report) write(out io.Writer) {
	r.writeJobs(out)
	r.writeAnswers(out)
	r.writeErrors(out)
	r.writeFaults(out)
	if len(r.kills) > 0 {
		fmt.Fprint(out, "\n"+r.kills.table(r.killed))
	}
	fmt.Fprint(out, "\n"+memoryTable(r.memory))
	r.writeTable(out)
	r.verdict(out)
}

// lasted is how long there was a load.
func (r report) lasted() time.Duration { return r.stopped.Sub(r.started) }

// jobKinds are the kinds that become jobs.
var jobKinds = []kind{files, uploads, dispatches, documents}

// writeJobs tells of the kinds that become jobs, if there were any.
func (r report) writeJobs(out io.Writer) {
	if !slices.ContainsFunc(jobKinds, func(k kind) bool { return slices.Contains(r.kinds, k) }) {
		return
	}
	fmt.Fprintln(out, "\n| p50 / p99 | begun | done | failed | waiting | done/s | queue | signing | verification | output | from beginning to end |")
	fmt.Fprintln(out, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, k := range jobKinds {
		if slices.Contains(r.kinds, k) {
			r.writeKind(out, k)
		}
	}
	fmt.Fprintf(out, "\n%d things were begun in %s: %.1f a second, of %g that were to be.\n",
		r.begun, short(r.lasted()), float64(r.begun)/r.lasted().Seconds(), r.rate)
}

// course is how the jobs of a kind went.
type course struct {
	begun, inTime                               int
	statuses                                    map[job.Status]int
	queue, signing, verification, output, whole []time.Duration
}

func (r report) course(k kind) course {
	c := course{statuses: map[job.Status]int{}}
	for _, i := range r.items {
		if i.kind == k {
			c.begun++
		}
	}
	for key, chain := range r.chains() {
		if r.items[key].kind != k {
			continue
		}
		j := latest(chain)
		if c.statuses[j.Status]++; j.Status != job.Completed {
			continue
		}
		if !j.UpdatedAt.After(r.stopped) {
			c.inTime++
		}
		c.take(j.Timings)
		if len(chain) == 1 { // a retry began when an operator wanted it
			c.whole = append(c.whole, j.UpdatedAt.Sub(r.items[key].begun))
		}
	}
	return c
}

func (c *course) take(t timings) {
	for _, stage := range []struct {
		into *[]time.Duration
		ms   *int64
	}{{&c.queue, t.Queue}, {&c.signing, t.Signing}, {&c.verification, t.Verification}, {&c.output, t.Output}} {
		if stage.ms != nil {
			*stage.into = append(*stage.into, time.Duration(*stage.ms)*time.Millisecond)
		}
	}
}

func (r report) writeKind(out io.Writer, k kind) {
	c := r.course(k)
	fmt.Fprintf(out, "| %s | %d | %d | %d | %d | %.1f | %s | %s | %s | %s | %s |\n", k, c.begun, c.statuses[job.Completed],
		c.statuses[job.Failed]+c.statuses[job.Canceled], c.statuses[job.AwaitingSigner], float64(c.inTime)/r.lasted().Seconds(),
		both(c.queue), both(c.signing), both(c.verification), both(c.output), both(c.whole))
}

// writeAnswers tells of requests.
func (r report) writeAnswers(out io.Writer) {
	if len(r.answers) == 0 {
		return
	}
	fmt.Fprintln(out, "\n| answers | n | a second | p50 / p99 | statuses | asked again |")
	fmt.Fprintln(out, "| --- | ---: | ---: | ---: | --- | ---: |")
	told := maps.Clone(r.answers)
	if all := r.notifications(); len(all.took) > 0 {
		told["notifications, all of them"] = all
	}
	for _, name := range slices.Sorted(maps.Keys(told)) {
		s := told[name]
		fmt.Fprintf(out, "| %s | %d | %.1f | %s | %s | %d |\n", name, len(s.took), float64(len(s.took))/r.lasted().Seconds(),
			both(s.took), counts(s.statuses, "%d: %d"), s.repeated)
	}
}

// notifications are the answers to all of them together.
func (r report) notifications() *series {
	all := &series{statuses: map[int]int{}}
	for name, s := range r.answers {
		if !strings.Contains(name, "notification") {
			continue
		}
		all.took = append(all.took, s.took...)
		for status, n := range s.statuses {
			all.statuses[status] += n
		}
	}
	return all
}

// writeErrors tells how jobs ended and why they failed, the tried ones among them.
func (r report) writeErrors(out io.Writer) {
	fmt.Fprintf(out, "\n%s Jobs: %s. An operator had %d tried again.\n", r.ending(), counts(r.ends(), "%s %d"), r.retried)
}

// ending says how long the end took.
func (r report) ending() string {
	switch {
	case r.early:
		return fmt.Sprintf("Not everything has ended: nobody waited longer than %s after the load.", short(r.settled))
	case r.settled >= r.wait:
		return fmt.Sprintf("Not everything had ended %s after the load.", short(r.settled))
	}
	return fmt.Sprintf("Everything had ended %s after the load.", short(r.settled))
}

// ends counts jobs by status and code.
func (r report) ends() map[string]int {
	by := map[string]int{}
	for _, j := range r.jobs {
		by[strings.TrimSpace(string(j.Status)+" "+j.ErrorCode)]++
	}
	return by
}

func (r report) writeFaults(out io.Writer) {
	fmt.Fprintf(out, "Faults: %s. Time went by for %d claims of dead runs.\n", counts(r.faulted, "%s %d"), r.ended)
	fmt.Fprintf(out, "Dead letters: %s.\nCalls of Lacuna Signer: %s.\n", counts(r.dead(), "%s %d"), counts(r.calls, "%s %d"))
}

// dead counts dead letters by queue.
func (r report) dead() map[string]int {
	dead := map[string]int{}
	for name, d := range r.depths {
		if strings.HasSuffix(name, "-dead") {
			dead[name] = d.Waiting + d.InHand
		}
	}
	return dead
}

// writeTable tells what the table holds.
func (r report) writeTable(out io.Writer) {
	fmt.Fprintf(out, "\nItems in the table: %d at the begin, %d at the end (%s).\n", total(r.before), total(r.table), counts(r.table, "%s %d"))
}

func total[K comparable](of map[K]int) (n int) {
	for _, v := range of {
		n += v
	}
	return n
}

// verdict says whether all promises were kept.
func (r report) verdict(out io.Writer) {
	good := 0
	for _, err := range r.verified {
		if err == nil {
			good++
		}
	}
	fmt.Fprintf(out, "\n%d jobs, %d outputs in the bucket, %d documents at Lacuna Signer; %d of %d outputs verified are good.\n",
		len(r.jobs), len(r.outputs), len(r.remote), good, len(r.verified))
	switch {
	case len(r.broken) == 0 && r.early:
		fmt.Fprintln(out, "So far no promise was broken; whether everything ends nobody has seen.")
		return
	case len(r.broken) == 0:
		fmt.Fprintln(out, "All promises were kept.")
		return
	}
	fmt.Fprintf(out, "%d promises were BROKEN:\n", len(r.broken))
	for _, b := range r.broken {
		fmt.Fprintln(out, "  -", b)
	}
}

// both writes the median and the 99th of a hundred.
func both(of []time.Duration) string {
	if len(of) == 0 {
		return "-"
	}
	return short(figure(of, 50)) + " / " + short(figure(of, 99))
}

// short writes a time in two or three digits.
func short(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

// counts writes numbers by name, in order of the names.
func counts[K cmp.Ordered](of map[K]int, format string) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(of)) {
		parts = append(parts, fmt.Sprintf(format, k, of[k]))
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}
