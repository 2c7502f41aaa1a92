package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestMemoryIsReadByFunction(t *testing.T) {
	t.Parallel()
	proc := t.TempDir()
	for id, files := range map[string][2]string{
		"10":  {"10 (load) S 1 " + zeros + "100", "load\x00"},
		"11":  {"11 (boot (x)) S 10 " + zeros + "5", "/d/functions/sign/bootstrap\x00"},
		"12":  {"12 (bootstrap) S 10 " + zeros + "7", "/d/functions/sign/bootstrap\x00"},
		"13":  {"13 (other) S 1 " + zeros + "900", "other\x00"},
		"14":  {"14 (broken", "?"},
		"15":  {"15 (load) S 10 " + zeros + "3", ""},
		"key": {"", ""},
	} {
		dir := filepath.Join(proc, id)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"stat", "cmdline"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(files[i]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	page := int64(os.Getpagesize())
	got := weigh(processes(proc, 10))
	if len(got) != 2 || got[this] != (need{100 * page, 100 * page, 1}) || got["sign"] != (need{12 * page, 7 * page, 2}) {
		t.Errorf("weigh = %v", got)
	}
}

// zeros stand between a process's parent and its memory.
var zeros = strings.Repeat("0 ", 19)

func TestCPUIsReadByProcess(t *testing.T) {
	t.Parallel()
	proc := t.TempDir()
	put := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(proc, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(proc, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("10/stat", "10 (load) S 1 "+strings.Repeat("0 ", 9)+"150 50 "+strings.Repeat("0 ", 8)+"1")
	put("stat", "cpu  100 20 30 400 50 6 7 8 90 9\ncpu0 1 2 3 4\n")
	put("loadavg", "12.34 5 6 1/2 3\n")
	if got := processes(proc, 10)[10]; got.spent != 2*time.Second || got.name != this {
		t.Errorf("this process has spent %v as %q, want 2s", got.spent, got.name)
	}
	if got, want := machineTimes(proc), (machine{busy: 1710 * time.Millisecond, idle: 4500 * time.Millisecond}); got != want {
		t.Errorf("the machine's times are %v, want %v", got, want)
	}
	if got := loadAverage(proc); got != "12.34" {
		t.Errorf("load average %q", got)
	}
	put("stat", "cpu 1 2 x 4 5 6 7 8\n")
	if got := machineTimes(proc); got != (machine{}) {
		t.Errorf("the machine's times are %v of what is no number", got)
	}
	if got := loadAverage(t.TempDir()); got != "unknown height" {
		t.Errorf("without /proc the load average is %q", got)
	}
}

// TestGrowthIsThatOfOneProcess: the largest counts of all that was seen, begin and end of the load's own tenths.
func TestGrowthIsThatOfOneProcess(t *testing.T) {
	t.Parallel()
	start := time.Unix(1000, 0)
	var seen []weight
	for n := range 120 { // 100 s of load, then the settling, which needs most
		size := int64(10+n) * mib
		seen = append(seen, weight{start.Add(time.Duration(n) * time.Second), map[string]need{"sign": {2 * size, size + mib, 2}}})
	}
	got := growths(seen, start, start.Add(100*time.Second))["sign"]
	want := growth{most: need{258 * mib, 130 * mib, 2}, begin: 15 * mib, end: 106 * mib}
	if got != want {
		t.Errorf("growth = %+v, want %+v", got, want)
	}
	if none := growths(nil, start, start); len(none) != 0 {
		t.Errorf("growth of nothing is %v", none)
	}
}

func TestMemoryIsWatchedUntilTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 3*weighEvery+weighEvery/2)
		defer stop()
		if seen := <-watchMemory(ctx); len(seen) != 4 {
			t.Errorf("memory was looked at %d times, want 4", len(seen))
		}
	})
}
