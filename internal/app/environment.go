package app

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"bulksigner/internal/fault"
	"bulksigner/internal/settings"
)

// Environment is what the deployment tells a function.
type Environment struct {
	Table        string
	InputBucket  string
	OutputBucket string
	WorkQueue    string // its URL
	SettingsFile string
}

// environment reads the whole environment and reports all that is missing together.
func environment() (Environment, error) {
	e := Environment{
		Table: os.Getenv("TABLE_NAME"), InputBucket: os.Getenv("INPUT_BUCKET"), OutputBucket: os.Getenv("OUTPUT_BUCKET"),
		WorkQueue:    os.Getenv("WORK_QUEUE_URL"),
		SettingsFile: cmp.Or(os.Getenv("SETTINGS_FILE"), filepath.Join(os.Getenv("LAMBDA_TASK_ROOT"), "settings.json")),
	}
	var missing []string
	for name, value := range map[string]string{"TABLE_NAME": e.Table, "INPUT_BUCKET": e.InputBucket, "OUTPUT_BUCKET": e.OutputBucket, "WORK_QUEUE_URL": e.WorkQueue} {
		if value == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return Environment{}, fault.New(fault.SettingsInvalid, "the environment lacks %s; the deployment sets them", strings.Join(missing, ", "))
	}
	return e, nil
}

// load reads the settings that are bundled with the function.
func (e Environment) load(needs ...settings.Need) (settings.Settings, error) {
	dir, name := filepath.Split(e.SettingsFile)
	return settings.Load(os.DirFS(cmp.Or(dir, ".")), name, os.Environ(), needs...)
}
