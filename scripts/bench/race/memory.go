package race

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Peak is how much memory a process had at most, in KiB: before it began with its work, and after. The difference is
// what the work needs.
type Peak struct {
	Idle int64 `json:"idle"`
	Most int64 `json:"most"`
}

// Over is what was needed above the idle process, in MiB.
func (p Peak) Over() float64 { return float64(p.Most-p.Idle) / 1024 }

// PeakOf runs work and returns the peaks of this process before and after. It makes sense once in a process's life.
func PeakOf(work func() error) (Peak, error) {
	var p Peak
	var err error
	if p.Idle, err = highWater(); err != nil {
		return p, err
	}
	if err := work(); err != nil {
		return p, err
	}
	p.Most, err = highWater()
	return p, err
}

// highWater asks Linux. What getrusage says is of no use here: a process inherits it from the one that started it.
func highWater() (int64, error) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, fmt.Errorf("memory is only known on Linux: %w", err)
	}
	defer f.Close()
	return parseStatus(io.LimitReader(f, 1<<16))
}

func parseStatus(r io.Reader) (int64, error) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			var kib int64
			if _, err := fmt.Sscanf(value, "%d kB", &kib); err != nil {
				return 0, fmt.Errorf("read the peak of memory: %w", err)
			}
			return kib, nil
		}
	}
	return 0, errors.Join(errors.New("the peak of memory is not in the status of the process"), lines.Err())
}

// MemoryRow is what was measured of one way to do the work, in as many processes.
type MemoryRow struct {
	Name    string
	Over    []float64 // MiB
	Missing string
}

// Median is the need in the middle, in MiB.
func (m MemoryRow) Median() float64 { return median(m.Over) }
