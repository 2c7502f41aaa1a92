package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// this is what this process is called among those of the functions.
const this = "this process"

// process is what /proc tells of one.
type process struct {
	name     string // of its function, or this
	parent   int
	resident int64         // bytes
	spent    time.Duration // CPU, since it began
}

// processes reads this process and its functions, by id. Processes that end meanwhile are left out; where there is no /proc
// there are none.
func processes(proc string, self int) map[int]process {
	all := map[int]process{}
	dirs, _ := filepath.Glob(filepath.Join(proc, "[0-9]*")) // the pattern is good
	for _, dir := range dirs {
		id, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		p, ok := stat(dir)
		switch {
		case !ok:
		case id == self:
			p.name = this
			all[id] = p
		case p.parent == self:
			if p.name = function(dir); p.name != "" {
				all[id] = p
			}
		}
	}
	return all
}

// Places of what is read in a process's stat, after its name, which stands in brackets.
const (
	parentField   = 1
	userField     = 11
	systemField   = 12
	residentField = 21
)

// tick is the unit in which Linux tells CPU time.
const tick = time.Second / 100

// stat reads what a process's stat tells.
func stat(dir string) (p process, ok bool) {
	text, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return p, false
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) <= residentField {
		return p, false
	}
	numbers := make([]int64, 4)
	for i, field := range []int{parentField, userField, systemField, residentField} {
		if numbers[i], err = strconv.ParseInt(fields[field], 10, 64); err != nil {
			return p, false
		}
	}
	p.parent, p.resident = int(numbers[0]), numbers[3]*int64(os.Getpagesize())
	p.spent = time.Duration(numbers[1]+numbers[2]) * tick
	return p, true
}

// function names what a child runs: functions/<name>/bootstrap. A child that has not begun to, or has ended, runs nothing.
func function(dir string) string {
	line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
	program, _, _ := strings.Cut(string(line), "\x00")
	if err != nil || filepath.Base(program) != "bootstrap" {
		return ""
	}
	return filepath.Base(filepath.Dir(program))
}

// machine is the CPU time of all cores since the machine began: at work for anybody, and idle.
type machine struct{ busy, idle time.Duration }

// machineTimes reads it. Where there is no /proc it is nothing.
func machineTimes(proc string) (m machine) {
	text, err := os.ReadFile(filepath.Join(proc, "stat"))
	line, _, _ := strings.Cut(string(text), "\n")
	fields := strings.Fields(line)
	if err != nil || len(fields) < 9 || fields[0] != "cpu" {
		return m
	}
	for i, f := range fields[1:9] { // what follows counts guests once more
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return machine{}
		}
		if i == 3 || i == 4 { // idle, and idle while a disk was waited for
			m.idle += time.Duration(n) * tick
		} else {
			m.busy += time.Duration(n) * tick
		}
	}
	return m
}

// loadAverage is that of the last minute, as the machine writes it.
func loadAverage(proc string) string {
	text, err := os.ReadFile(filepath.Join(proc, "loadavg"))
	first, _, ok := strings.Cut(string(text), " ")
	if err != nil || !ok {
		return "unknown height"
	}
	return first
}
