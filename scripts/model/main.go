// Command model checks docs/model with Spin: that what the service promises about its jobs holds, that every step of the
// table is taken, and that each deliberate fault is found. With BULKSIGNER_NO_SKIP=1 a checker that is not there is a
// failure.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// limit bounds everything together, so that a model that has grown too large says so. An idle machine needs a minute.
const limit = 20 * time.Minute

// atOnce is how many trials run side by side. A trial takes up to half a gigabyte of memory.
const atOnce = 2

func main() {
	dir := flag.String("dir", "docs/model", "folder of the model")
	flag.Parse()
	if missing := absent("spin", "gcc"); len(missing) > 0 {
		fmt.Printf("model: skipped, there is no %s: apt-get install spin gcc\n", strings.Join(missing, " and no "))
		if os.Getenv("BULKSIGNER_NO_SKIP") == "1" {
			os.Exit(1)
		}
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := check(ctx, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "model:", err)
		cancel()
		os.Exit(1)
	}
}

func absent(tools ...string) []string {
	return slices.DeleteFunc(tools, func(tool string) bool {
		_, err := exec.LookPath(tool)
		return err == nil
	})
}

// check runs all trials and tells of each.
func check(ctx context.Context, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	list, err := os.ReadFile(filepath.Join(dir, "table.pml"))
	if err != nil {
		return err
	}
	began, found := time.Now(), runAll(ctx, dir)
	states, wrong := 0, 0
	for i, t := range trials {
		said, ok := judge(t, found[i], rows(string(list)))
		fmt.Printf("%-12s  %-58s  %9d states  %s\n", t.method, t.question, found[i].states, said)
		states += found[i].states
		if !ok {
			wrong++
		}
	}
	fmt.Printf("%d trials, %d states, %s\n", len(trials), states, time.Since(began).Round(time.Second))
	if wrong > 0 {
		return fmt.Errorf("%d of %d trials did not end as they must", wrong, len(trials))
	}
	return nil
}

func runAll(ctx context.Context, dir string) []finding {
	found := make([]finding, len(trials))
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i, t := range trials {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			found[i] = run(ctx, dir, t)
		})
	}
	wg.Wait()
	return found
}
