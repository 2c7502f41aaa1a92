package main_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tolerated are rules of cfn-lint that the templates may break, each for a reason.
var tolerated = map[string]string{
	"W3005": "the CDK writes out that a resource comes after another, where its properties say so too",
}

// linter finds cfn-lint.
func linter(t *testing.T) string {
	t.Helper()
	const missing = "cfn-lint is not on PATH: pip install cfn-lint==1.58.0"
	path, err := exec.LookPath("cfn-lint")
	if err != nil && os.Getenv("BULKSIGNER_NO_SKIP") == "1" {
		t.Fatal(missing)
	}
	if err != nil {
		t.Skip(missing)
	}
	return path
}

// finding is what cfn-lint has to say.
type finding struct {
	Rule     struct{ Id string }
	Message  string
	Filename string
	Location struct{ Path []any }
}

// lint has cfn-lint judge templates by what CloudFormation takes in a region of Brazil.
func lint(t *testing.T, files ...string) (all []finding) {
	t.Helper()
	args := []string{"--format", "json", "--regions", "sa-east-1", "--ignore-checks"}
	args = append(args, slices.Sorted(maps.Keys(tolerated))...)
	cmd := exec.CommandContext(t.Context(), linter(t), append(append(args, "--"), files...)...)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, failed := cmd.Output() // an exit code says that there are findings, too
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatalf("cfn-lint: %v, %v: %s%s", failed, err, out, complaints.String())
	}
	return all
}

// linted are deployments that, between them, have every type of resource: cfn-lint takes more than a second for each.
var linted = []string{"existing", "isolated", "network", "options", "signer", "token"}

// TestTemplatesAreSound: CloudFormation would take the templates. They are judged in one run, which takes its time to begin.
func TestTemplatesAreSound(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	var files []string
	for _, name := range linted {
		files = append(files, stack(t, name).file)
		for _, r := range stack(t, name).Resources {
			seen[r.Type] = true
		}
	}
	for _, f := range lint(t, files...) {
		t.Errorf("%s: %s: %s at %v", stackOf(f.Filename), f.Rule.Id, f.Message, f.Location.Path)
	}
	for name := range deployments {
		for id, r := range stack(t, name).Resources {
			if !seen[r.Type] {
				t.Errorf("%s: %s is a %s, of which nobody judges any", name, id, r.Type)
			}
		}
	}
}

// stackOf names the deployment whose template a file is.
func stackOf(file string) string {
	for _, name := range linted {
		if all, err := stacks(); err == nil && all[name].file == file {
			return name
		}
	}
	return file
}

// TestLinter: what CloudFormation would refuse is found.
func TestLinter(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bad.template.json")
	const bad = `{"Resources": {"Q": {"Type": "AWS::SQS::Queue", "Properties": {"VisibilityTimeout": 50000, "Fifo": true}}}}`
	if err := os.WriteFile(file, []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	rules := map[string]bool{}
	for _, f := range lint(t, file) {
		rules[f.Rule.Id] = true
	}
	if !rules["E3002"] || !rules["E3034"] {
		t.Errorf("cfn-lint finds %v, want a property that there is not and a number that is too large", slices.Sorted(maps.Keys(rules)))
	}
}
