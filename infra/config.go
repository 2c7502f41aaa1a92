package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bulksigner/internal/settings"
)

// Config is everything that a stack is built from.
type Config struct {
	Options  Options
	Settings settings.Settings
	Overlays map[string]string // variables that stand over the settings file, handed on to the functions as they are

	files []string // what the settings were read from: the file itself first, then what it names; beside each other
}

// sections are the sections of the settings file, which variables over it begin with.
var sections = []string{
	"Signing", "Signer", "Storage", "WatchedFolder", "Pipeline", "Encryption", "Auth", "Upload", "RateLimiting", "Metrics", "Readiness",
	"Statistics",
}

// secretKeys are the settings that nobody should read in a package or a template.
var secretKeys = map[string]func(settings.Settings) settings.Secret{
	"Auth:ApiKey":          func(s settings.Settings) settings.Secret { return s.Auth.ApiKey },
	"Signer:ApiKey":        func(s settings.Settings) settings.Secret { return s.Signer.ApiKey },
	"Signer:WebhookSecret": func(s settings.Settings) settings.Secret { return s.Signer.WebhookSecret },
	"Encryption:Password":  func(s settings.Settings) settings.Secret { return s.Encryption.Password },
}

// isSecret reports whether a variable stands over a setting that nobody should read.
func isSecret(variable string) bool {
	for key := range secretKeys {
		if strings.EqualFold(variable, strings.ReplaceAll(key, ":", "__")) {
			return true
		}
	}
	return false
}

// maxOverlays leaves room in a function's environment, which has 4 KiB.
const maxOverlays = 3 << 10

// Load reads and checks the settings as the functions will: the file, with the environment over it. All faults are
// reported together.
func Load(o Options, environ []string) (Config, error) {
	c := Config{Options: o, Overlays: overlays(environ)}
	read := &recorder{FS: os.DirFS(filepath.Dir(o.Settings))}
	var err error
	c.Settings, err = settings.Load(read, filepath.Base(o.Settings), environ, settings.API)
	c.files = read.opened
	if all, ok := errors.AsType[settings.Faults](err); ok {
		err = fmt.Errorf("faults in %s and the environment:\n%w", o.Settings, all)
	}
	err = errors.Join(err, c.checkOverlays(), c.needs().check(), c.keepInputs(), c.reachInternet(),
		c.openTokens(), c.checkEnvironment())
	return c, err
}

func overlays(environ []string) map[string]string {
	found := map[string]string{}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		first, _, isKey := strings.Cut(name, "__")
		if isKey && slices.ContainsFunc(sections, func(s string) bool { return strings.EqualFold(s, first) }) {
			found[name] = value
		}
	}
	return found
}

// checkOverlays refuses what must not stand in a template, which many can read.
func (c Config) checkOverlays() error {
	var faults []error
	for name, value := range c.Overlays {
		if value != "" && isSecret(name) && !settings.Secret(value).Stored() {
			faults = append(faults, fmt.Errorf("%s: it would be readable in the template; put it into a secret of Secrets "+
				"Manager and name the secret's ARN", name))
		}
	}
	return errors.Join(faults...)
}

// checkEnvironment refuses what does not fit into a function's environment. It comes when everything for it was read.
func (c Config) checkEnvironment() error {
	size := len(c.Options.Hsm.anchor)
	for name, value := range c.Overlays {
		size += len(name) + len(value)
	}
	if size > maxOverlays {
		return fmt.Errorf("the settings in the environment, and the cluster's certificate if there is one, have %d bytes, and a function "+
			"has room for %d; write settings into the settings file", size, maxOverlays)
	}
	return nil
}

// recorder remembers which files were read, since those are what a function needs beside it.
type recorder struct {
	fs.FS
	opened []string
}

// Open opens a file and remembers it.
func (r *recorder) Open(name string) (fs.File, error) {
	f, err := r.FS.Open(name)
	if err == nil && !slices.Contains(r.opened, name) {
		r.opened = append(r.opened, name)
	}
	return f, err
}
