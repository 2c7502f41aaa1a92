package app_test

import (
	"go/build"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// table says which packages of internal a package may import. Test files and test-support packages may import more.
var table = map[string]string{
	"fault":                   "",
	"fault/guide":             "fault",
	"icpbrasil":               "fault",
	"profile":                 "icpbrasil fault",
	"job":                     "profile fault",
	"settings":                "profile fault",
	"bsenc":                   "fault",
	"sign/cms":                "icpbrasil fault",
	"sign/pdf":                "fault",
	"sign/pades":              "sign/cms sign/pdf sign/pades/picture sign/pades/typeface icpbrasil fault",
	"sign/pades/picture":      "fault",
	"sign/pades/typeface":     "fault",
	"sign/cades":              "sign/cms icpbrasil fault",
	"sign/xades":              "sign/cms sign/xades/markup icpbrasil fault",
	"sign/xades/markup":       "fault",
	"sign/signtest":           "icpbrasil/icpbrasiltest",
	"verify":                  "sign/cms icpbrasil fault",
	"workflow":                "job profile sign/pades sign/cades sign/xades verify icpbrasil fault",
	"aws/schema":              "",
	"aws/transport":           "",
	"aws/table":               "aws/schema job profile fault",
	"aws/objects":             "job profile fault",
	"aws/queue":               "job profile fault",
	"aws/keys":                "job profile fault",
	"aws/secrets":             "job profile fault",
	"pkcs11":                  "fault",
	"revocation":              "fault",
	"api":                     "job profile settings verify fault",
	"console":                 "fault/guide api job profile settings fault",
	"app":                     "*",
	"lacuna":                  "job profile fault",
	"lacuna/lacunatest":       "sign/cms sign/pades sign/cades sign/xades verify icpbrasil icpbrasil/icpbrasiltest job profile fault",
	"metrics":                 "job fault",
	"redact":                  "",
	"local":                   "settings profile job fault aws/schema lacuna/lacunatest icpbrasil/icpbrasiltest local/*",
	"local/aenv":              "",
	"local/emulator":          "aws/schema aws/transport local/aenv",
	"local/demo":              "",
	"local/host":              "fault local/*",
	"local/ledger":            "aws/schema local/emulator",
	"icpbrasil/icpbrasiltest": "fault",
	"workflow/workflowtest":   "icpbrasil job profile fault",
	"simulation":              "workflow workflow/workflowtest job profile fault verify",
}

// foreign says who may use a library that must not spread.
var foreign = map[string][]string{
	"github.com/aws/aws-sdk-go-v2":          {"aws/table", "aws/objects", "aws/queue", "aws/keys", "aws/secrets", "aws/transport", "app", "local"},
	"github.com/aws/aws-lambda-go":          {"functions", "api", "local"},
	"github.com/sivchari/kumo":              {"local"},
	"github.com/versity/versitygw":          {"local"},
	"github.com/nsmithuk/local-kms":         {"local"},
	"github.com/danielgtaylor/huma/v2":      {"api"},
	"software.sslmate.com/src/go-pkcs12":    {"aws/keys", "local"},
	"github.com/awslabs/aws-lambda-go-api-": {"api"},
	"github.com/prometheus/":                {"metrics"},
	"golang.org/x/time":                     {"aws/keys", "lacuna"},
	"github.com/chromedp/":                  nil, // tests alone look through a browser
}

// TestImports holds the arrows between the packages: they point inward.
func TestImports(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, dir := range packages(t, "..") {
		name, _ := filepath.Rel("..", dir)
		name = filepath.ToSlash(name)
		seen[name] = true
		allowed, known := table[name]
		if !known {
			t.Errorf("internal/%s is not in the table of imports", name)
			continue
		}
		for _, imported := range imports(t, dir) {
			if inner, ok := strings.CutPrefix(imported, "bulksigner/internal/"); ok && !may(allowed, inner) {
				t.Errorf("internal/%s imports internal/%s; the table has no such arrow", name, inner)
			}
			checkForeign(t, name, imported)
		}
	}
	for name := range table {
		if !seen[name] {
			t.Errorf("the table names internal/%s, which is gone", name)
		}
	}
}

// TestFunctionsImportLittle holds the mains to decoding and encoding.
func TestFunctionsImportLittle(t *testing.T) {
	t.Parallel()
	for _, dir := range packages(t, "../../functions") {
		for _, imported := range imports(t, dir) {
			if inner, ok := strings.CutPrefix(imported, "bulksigner/internal/"); ok && !may("app job fault api", inner) {
				t.Errorf("%s imports internal/%s", dir, inner)
			}
			checkForeign(t, "functions", imported)
		}
	}
}

func checkForeign(t *testing.T, name, imported string) {
	t.Helper()
	for library, users := range foreign {
		if !strings.HasPrefix(imported, library) {
			continue
		}
		if !slices.ContainsFunc(users, func(u string) bool { return name == u || strings.HasPrefix(name, u+"/") }) {
			t.Errorf("%s imports %s; only %v may", name, imported, users)
		}
	}
}

func may(allowed, inner string) bool {
	return slices.ContainsFunc(strings.Fields(allowed), func(a string) bool {
		prefix, wild := strings.CutSuffix(a, "*")
		return a == inner || wild && strings.HasPrefix(inner, prefix)
	})
}

func imports(t *testing.T, dir string) []string {
	t.Helper()
	p, err := build.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	return p.Imports
}

// packages lists the folders below root that hold Go files which are not tests.
func packages(t *testing.T, root string) (dirs []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if d.Name() == "testdata" {
			return filepath.SkipDir
		}
		if p, err := build.ImportDir(path, 0); err == nil && len(p.GoFiles) > 0 {
			dirs = append(dirs, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}
