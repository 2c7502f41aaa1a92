package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// settingsName is where a function looks for its settings, beside its program.
const settingsName = "settings.json"

// Bundle puts the settings file, and the files that it names, beside the program of each function, so that what was
// checked is what is deployed; what an image is built from, it puts together. It reports every program that is missing or
// would not start.
func Bundle(c Config) error {
	var faults []error
	for _, name := range Functions(c.Settings) {
		if c.imageOf(name) {
			faults = append(faults, c.stage(name))
			continue
		}
		dir := filepath.Join(c.Options.Dist, name)
		if err := checkProgram(filepath.Join(dir, "bootstrap")); err != nil {
			faults = append(faults, err)
			continue
		}
		if err := c.copyTo(dir); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

// checkProgram refuses a program that the platform would refuse at the first call only, with an error that says little.
func checkProgram(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%w; build the functions first", err)
	}
	if info.Mode()&0o111 == 0 {
		return fmt.Errorf("%s is not executable; build it again", path)
	}
	program, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("%s is not a program for Linux: %w; build it with GOOS=linux GOARCH=arm64", path, err)
	}
	defer program.Close()
	if program.Machine != elf.EM_AARCH64 {
		return fmt.Errorf("%s is built for %s; build it with GOOS=linux GOARCH=arm64", path, program.Machine)
	}
	return nil
}

// copyTo copies what the settings were read from. The settings have bounded these files when they read them.
func (c Config) copyTo(dir string) error {
	from, err := os.OpenRoot(filepath.Dir(c.Options.Settings))
	if err != nil {
		return fmt.Errorf("open the settings' folder: %w", err)
	}
	defer from.Close()
	to, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open %s: %w", dir, err)
	}
	defer to.Close()
	for i, name := range c.files {
		target := name
		if i == 0 {
			target = settingsName
		}
		if err := copyFile(from.FS(), name, to, target); err != nil {
			return fmt.Errorf("bundle %s into %s: %w", name, dir, err)
		}
	}
	return nil
}

func copyFile(from fs.FS, name string, to *os.Root, target string) error {
	data, err := fs.ReadFile(from, name)
	if err != nil {
		return err
	}
	if err := to.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	return to.WriteFile(target, data, 0o644)
}
