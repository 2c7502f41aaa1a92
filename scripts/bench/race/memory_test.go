package race_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"bulksigner/scripts/bench/race"
)

func TestPeakCountsTheWork(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("memory is only known on Linux")
	}
	var held []byte
	p, err := race.PeakOf(func() error {
		held = make([]byte, 64<<20)
		for i := 0; i < len(held); i += 1 << 10 {
			held[i] = 1
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if p.Idle <= 0 || p.Over() < 32 || len(held) == 0 {
		t.Errorf("got %.1f MiB over %d KiB, want what was written", p.Over(), p.Idle)
	}
}

func TestPeakPassesErrorsOn(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	if _, err := race.PeakOf(func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

func TestMemoryTable(t *testing.T) {
	t.Parallel()
	rows := []race.MemoryRow{
		{Name: "ours", Over: []float64{3, 9, 4}},
		{Name: "peer", Over: []float64{200, 210}},
		{Name: "absent", Missing: "get it"},
	}
	var out strings.Builder
	if err := race.WriteMemory(&out, "Memory", rows, 16); err != nil {
		t.Fatal(err)
	}
	want := "### Memory\n\n| | MiB over the idle process |\n| --- | ---: |\n| ours | 4.0 |\n| peer | 205.0 |\n" +
		"| absent | skipped: get it |\n\n- Goal, at most 16 MiB over idle: reached, 4.0 MiB.\n\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
