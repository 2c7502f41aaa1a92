package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"bulksigner/internal/simulation"
)

// atOnce is how many mutants are built and searched side by side.
const atOnce = 2

// mutant is a deliberate fault.
type mutant struct {
	tag   string
	says  string              // what the fault is
	found *simulation.Failure // the first counter-example; nil if there is none
}

// mutants builds each mutant and looks for a counter-example with one departure.
func mutants(ctx context.Context, work string) ([]mutant, error) {
	all, err := listMutants(tests)
	if err != nil {
		return nil, err
	}
	fmt.Printf("%d deliberate faults, each of which must be found\n", len(all))
	errs := make([]error, len(all))
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for n := range all {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			errs[n] = all[n].search(ctx, work)
		})
	}
	wg.Wait()
	return all, errors.Join(errs...)
}

// listMutants finds the mutants in a folder, by their build tags.
func listMutants(dir string) (all []mutant, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "mutant_*.go"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, errors.New("there are no mutants in "+dir))
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("read a mutant: %w", err)
		}
		all = append(all, mutant{tag: strings.TrimSuffix(filepath.Base(file), ".go"), says: described(f)})
	}
	return all, nil
}

// described is what a mutant says of itself, where it puts its fault in.
func described(f *ast.File) string {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == "init" {
			return strings.Join(strings.Fields(fn.Doc.Text()), " ")
		}
	}
	return ""
}

// search looks for a counter-example, in one scenario after the other.
func (m *mutant) search(ctx context.Context, work string) error {
	binary := filepath.Join(work, m.tag+".test")
	if err := build(ctx, binary, m.tag); err != nil {
		return err
	}
	defer os.Remove(binary)
	all, err := process(ctx, binary, append(explore(1, 1).flags[0], "-simulation.first"), func(simulation.Figures) {})
	if err != nil {
		return fmt.Errorf("%s: %w", m.tag, err)
	}
	for _, f := range all {
		if m.found == nil {
			m.found = f.Failure
		}
	}
	if m.found == nil {
		fmt.Printf("%-17s is NOT FOUND\n", m.tag)
		return nil
	}
	fmt.Printf("%-17s is found in %s: %s\n", m.tag, m.found.Scenario, strings.Join(m.found.Broken, "; "))
	return nil
}
