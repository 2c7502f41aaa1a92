package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheStackIsThatOfTheAssembly(t *testing.T) {
	t.Parallel()
	const one = `"second":{"type":"aws:cloudformation:stack","properties":{"templateFile":"second.template.json"}}`
	tests := []struct {
		name, manifest, want string
	}{
		{"one stack", `{"artifacts":{"Tree":{"type":"cdk:tree"},` + one + `}}`, "second"},
		{"a stack of another name", `{"artifacts":{"a":{"type":"aws:cloudformation:stack","properties":{"templateFile":"second.template.json","stackName":"given"}}}}`, "given"},
		{"two stacks", `{"artifacts":{"third":{"type":"aws:cloudformation:stack"},` + one + `}}`, ""},
		{"none", `{"artifacts":{}}`, ""},
		{"no manifest", `[]`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Dir(file(t, "manifest.json", tt.manifest))
			a, err := readAssembly(dir)
			if (err != nil) != (tt.want == "") || a.stack != tt.want {
				t.Errorf("readAssembly = %+v, %v; want %q", a, err, tt.want)
			}
			if err == nil && a.template != filepath.Join(dir, "second.template.json") {
				t.Errorf("the template is %s", a.template)
			}
			var out strings.Builder
			if err := run(t.Context(), options{assembly: dir, name: true}, &out); err == nil && out.String() != tt.want+"\n" {
				t.Errorf("the name is %q", out.String())
			}
		})
	}
	if _, err := readAssembly(t.TempDir()); err == nil || !strings.Contains(err.Error(), "make synth") {
		t.Errorf("without an assembly: %v", err)
	}
}

func TestTheContextIsThatOfTheCommandLine(t *testing.T) {
	t.Parallel()
	config := file(t, "cdk.json", `{"app":"go run .","context":{"stack":"of-the-file","keep":false}}`)
	tests := []struct {
		name, environment string
		args              []string
		want              string // "" if it is refused
	}{
		{"the file's", "", nil, `{"keep":false,"stack":"of-the-file"}`},
		{"the environment's over it", `{"stack":"of-the-environment"}`, nil, `{"keep":false,"stack":"of-the-environment"}`},
		{"the command line's over both", `{"stack":"x"}`, []string{"-c", "stack=second", "--context", "encryption=kms"}, `{"encryption":"kms","keep":false,"stack":"second"}`},
		{"in other forms", "", []string{"-c=stack=second", "--context=profileKeys=[\"a=b\"]"}, `{"keep":false,"profileKeys":"[\"a=b\"]","stack":"second"}`},
		{"no pair", "", []string{"-c", "stack"}, ""},
		{"no key", "", []string{"-c", "=second"}, ""},
		{"nothing after it", "", []string{"-c"}, ""},
		{"another flag", "", []string{"--all"}, ""},
		{"no JSON", "{", nil, ""},
	}
	for _, tt := range tests {
		got, err := contextOf(config, tt.environment, tt.args)
		if (err != nil) != (tt.want == "") || string(got) != tt.want {
			t.Errorf("%s: contextOf = %s, %v; want %s", tt.name, got, err, tt.want)
		}
	}
	if _, err := contextOf(filepath.Join(t.TempDir(), "none"), "", nil); err == nil {
		t.Error("a file that is not there has a context")
	}
}
