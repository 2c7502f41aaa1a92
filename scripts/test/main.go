// Command test runs all tests of all modules, with the race detector where there is a C compiler, and says, at the end, what was skipped and how to
// get it. With BULKSIGNER_NO_SKIP=1 anything skipped is a failure.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

func main() {
	r := &report{output: map[string][]string{}, reasons: map[string]int{}, strict: os.Getenv("BULKSIGNER_NO_SKIP") == "1"}
	_, err := exec.LookPath("gcc")
	r.race = err == nil
	if !r.race {
		r.skip("the race detector and the PKCS#11 tests go through cgo; install gcc, and softhsm2 and opensc for the latter")
	}
	r.module(".", "./...")
	if r.race {
		r.module(".", "-tags", "pkcs11", "./internal/pkcs11")
	}
	if _, err := exec.LookPath("node"); err == nil {
		r.module("infra", "./...")
	} else {
		r.skip("infra: the deployment is synthesized with Node.js; install nodejs 18 or later")
	}
	os.Exit(r.close())
}

// report counts what happened.
type report struct {
	passed, failed, skipped int
	output                  map[string][]string // of the tests that are running
	reasons                 map[string]int      // why tests were skipped
	broken                  bool
	strict                  bool
	race                    bool
}

// event is a line of go test -json.
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// module runs tests of the module in a folder: args say which.
func (r *report) module(dir string, args ...string) {
	cmd := exec.Command("go", slices.Concat([]string{"test", "-json", fmt.Sprintf("-race=%t", r.race)}, args, os.Args[1:])...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		r.broken = true
		return
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		r.line(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "output of go test:", err)
		r.broken = true
	}
	if err := cmd.Wait(); err != nil {
		r.broken = true // a package that does not build has no test that could fail
	}
}

func (r *report) line(b []byte) {
	var e event
	if err := json.Unmarshal(b, &e); err != nil {
		fmt.Println(string(b))
		return
	}
	name := e.Package + "." + e.Test
	switch e.Action {
	case "build-output":
		fmt.Print(e.Output)
	case "output":
		r.output[name] = append(r.output[name], e.Output)
	case "pass", "fail", "skip":
		r.ended(e, name)
		delete(r.output, name)
	}
}

func (r *report) ended(e event, name string) {
	switch {
	case e.Test == "" && e.Action == "fail":
		fmt.Print(strings.Join(r.output[name], ""))
		fmt.Printf("FAIL  %s\n", e.Package)
	case e.Test == "" && e.Action == "pass":
		fmt.Printf("ok    %-45s %6.1f s\n", e.Package, e.Elapsed)
	case e.Test == "":
	case e.Action == "pass":
		r.passed++
	case e.Action == "fail":
		r.failed++
		fmt.Print(strings.Join(r.output[name], ""))
	default:
		r.skip(reason(e, r.output[name]))
	}
}

// reason is the text that a test gave for being skipped, without the test's place.
func reason(e event, output []string) string {
	for _, line := range output {
		if _, text, ok := strings.Cut(strings.TrimSpace(line), ".go:"); ok {
			if _, text, ok = strings.Cut(text, ": "); ok {
				return text
			}
		}
	}
	return e.Package + " " + e.Test
}

func (r *report) skip(reason string) {
	r.skipped++
	r.reasons[reason]++
}

// close prints the end of the report and returns the exit code.
func (r *report) close() int {
	for _, why := range slices.Sorted(maps.Keys(r.reasons)) {
		fmt.Printf("skipped %3d  %s\n", r.reasons[why], why)
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", r.passed, r.failed, r.skipped)
	if r.broken || r.failed > 0 || r.strict && r.skipped > 0 {
		return 1
	}
	return 0
}
