// Package browser_test looks at the console as people do: in a browser, before the whole service on this machine. What a
// page says that no script, style or address of others may do is held by the browser here, and so are the rules of WCAG.
package browser_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

var update = flag.Bool("update", false, "take the pictures of docs/console anew")

// browsers are the names that Chromium goes by.
var browsers = []string{"chromium", "chromium-browser", "google-chrome"}

func TestMain(m *testing.M) {
	flag.Parse()
	if *update {
		hostile, active = "Fornecedores", "Recibo de março" // pictures are of what one sees every day
	}
	var err error
	if root, err = moduleRoot(); err != nil { // before the service changes the working directory
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := stopAll(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// root is the folder of the module.
var root string

// stops end what was started, the last first.
var stops []func() error

func stopAll() error {
	var errs []error
	for i := len(stops) - 1; i >= 0; i-- {
		errs = append(errs, stops[i]())
	}
	return errors.Join(errs...)
}

// skip ends a test that lacks something, which is a failure where nothing may be skipped.
func skip(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("BULKSIGNER_NO_SKIP") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

func browserPath() string {
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// scene is the service, filled, and a browser before it. Both are started once for all tests.
var scene = sync.OnceValues(func() (*stage, error) {
	s := &stage{}
	if err := s.readRules(); err != nil {
		return nil, err
	}
	if err := s.start(); err != nil {
		return nil, err
	}
	return s, s.startBrowser()
})

// opened returns the scene, or skips the test without a browser.
func opened(t testing.TB) *stage {
	t.Helper()
	if browserPath() == "" {
		skip(t, "a browser is not installed: apt-get install chromium")
	}
	s, err := scene()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// startBrowser starts one browser, in which each test has a context of its own: its cookies are its own.
func (s *stage) startBrowser() error {
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(browserPath()), chromedp.NoSandbox, chromedp.WindowSize(width, height)}
	for _, flag := range []string{
		"headless", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking", "disable-component-update",
		"disable-sync", "disable-dev-shm-usage", "disable-renderer-backgrounding", "disable-background-timer-throttling",
		"disable-backgrounding-occluded-windows", "hide-scrollbars",
	} {
		options = append(options, chromedp.Flag(flag, true))
	}
	// Pages that the tests look at speak the language that a cookie says, and else that of the browser.
	options = append(options, chromedp.Flag("lang", "en-US"), chromedp.Env("LANGUAGE=en_US", "TZ=America/Sao_Paulo"))
	allocator, cancelAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	stops = append(stops, func() error { cancel(); cancelAllocator(); return nil })
	s.browser = ctx
	if err := chromedp.Do(ctx); err != nil {
		return fmt.Errorf("start the browser: %w", err)
	}
	return nil
}

// readRules reads axe-core, which judges accessibility. Without it the tests that need it are skipped.
func (s *stage) readRules() error {
	path := os.Getenv("BULKSIGNER_AXE")
	if path == "" {
		path = filepath.Join(root, ".local-ci/node_modules/axe-core/axe.min.js")
	}
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	s.rules = string(b)
	return nil
}

// moduleRoot is the folder of go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("there is no go.mod here or above")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

// told is what a list of texts says, one a line.
func told(lines []string) string { return cmp.Or(strings.Join(lines, "\n"), "nothing") }
