package local

import (
	"errors"
	"os"
	"path/filepath"
)

// EnterModule goes to the folder of go.mod, so that a run can be started from anywhere below it: GoBuild builds the module
// that the working directory is in.
func EnterModule() error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return os.Chdir(dir)
		}
		if dir == filepath.Dir(dir) {
			return errors.New("start this inside the project: there is no go.mod here or above")
		}
	}
}
