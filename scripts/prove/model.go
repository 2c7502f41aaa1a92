package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// modelled is what the model came to.
type modelled struct {
	skipped        bool // its checker is not there
	trials, states int
	said           string // the line that says so
	broken         bool
}

// model asks the model of a job's life. That its checker is missing is no failure.
func model(ctx context.Context) (m modelled, err error) {
	fmt.Println("asking the model")
	out, err := exec.CommandContext(ctx, "go", "run", "./scripts/model").CombinedOutput()
	fmt.Print(string(out))
	if ctx.Err() != nil {
		return m, ctx.Err()
	}
	m = readModel(string(out))
	m.broken = err != nil
	return m, nil
}

var modelLine = regexp.MustCompile(`(?m)^(\d+) trials, (\d+) states, .+$`)

// readModel understands what the model's checker printed.
func readModel(out string) (m modelled) {
	found := modelLine.FindStringSubmatch(out)
	if found == nil {
		m.skipped, m.said = true, strings.TrimSpace(out)
		return m
	}
	m.said = found[0]
	m.trials, _ = strconv.Atoi(found[1]) // digits
	m.states, _ = strconv.Atoi(found[2])
	return m
}
