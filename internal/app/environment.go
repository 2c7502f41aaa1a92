package app

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
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
	ChecksQueue  string // its URL; empty for functions that have nothing to do with checks
	DeadLetters  string // the URLs of the queues for what nobody could handle; empty where nobody looks at them
	DeadChecks   string
	Metrics      string // the namespace of the metrics; empty for the usual one
	Restored     string // the moment that the table was set back to; empty if it never was
	SettingsFile string
}

// environment reads the whole environment and reports all that is missing together.
func environment() (Environment, error) {
	e := Environment{
		Table: os.Getenv("TABLE_NAME"), InputBucket: os.Getenv("INPUT_BUCKET"), OutputBucket: os.Getenv("OUTPUT_BUCKET"),
		WorkQueue: os.Getenv("WORK_QUEUE_URL"), ChecksQueue: os.Getenv("CHECKS_QUEUE_URL"), Metrics: os.Getenv("METRICS_NAMESPACE"),
		DeadLetters: os.Getenv("DEAD_LETTER_QUEUE_URL"), DeadChecks: os.Getenv("DEAD_CHECKS_QUEUE_URL"),
		Restored:     os.Getenv("TABLE_RESTORED"),
		SettingsFile: cmp.Or(os.Getenv("SETTINGS_FILE"), filepath.Join(os.Getenv("LAMBDA_TASK_ROOT"), "settings.json")),
	}
	var missing []string
	for name, value := range map[string]string{"TABLE_NAME": e.Table, "INPUT_BUCKET": e.InputBucket, "OUTPUT_BUCKET": e.OutputBucket, "WORK_QUEUE_URL": e.WorkQueue} {
		if value == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return Environment{}, lacking(missing...)
	}
	return e, checkMoment("TABLE_RESTORED", e.Restored)
}

func lacking(names ...string) error {
	return fault.New(fault.SettingsInvalid, "the environment lacks %s; the deployment sets them", strings.Join(names, ", "))
}

// load reads the settings that are bundled with the function.
func (e Environment) load(needs ...settings.Need) (settings.Settings, error) {
	dir, name := filepath.Split(e.SettingsFile)
	return settings.Load(os.DirFS(cmp.Or(dir, ".")), name, os.Environ(), needs...)
}
