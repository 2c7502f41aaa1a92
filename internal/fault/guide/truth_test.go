package guide_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bulksigner/internal/fault"
)

const root = "../../../"

// said is everything that operators are told: the catalogues, and the page with its symptoms.
func said(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{"troubleshooting.md": page(t, "troubleshooting.md")}
	for _, language := range languages {
		for _, e := range entries(t, language) {
			texts[language] += e.Meaning + "\n" + e.Remedy + "\n"
		}
	}
	return texts
}

// program is the source of the service, without its tests.
func program(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range []string{"internal", "functions"} {
		err := filepath.WalkDir(root+dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			b.Write(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

var (
	lines   = regexp.MustCompile(`"([a-z][^"\n]+)"`)
	logged  = regexp.MustCompile("`((?:[a-z]+|Lacuna Signer) [^`]+)`") // on the page: code of several words
	keys    = regexp.MustCompile(`\b(?:Signing|Signer|Storage|Pipeline|Encryption|Auth|Upload|RateLimiting):([A-Z]\w+)`)
	routes  = regexp.MustCompile(`/api(?:/[a-z{}-]+)+(?:\.json)?`)
	scripts = regexp.MustCompile(`\b(?:scripts/[a-z-]+|docs/[a-z]+\.md)`)
	figures = regexp.MustCompile("`([a-z]+(?:_[a-z]+)+)`")
)

// What people are sent to is there: log lines, settings, routes, scripts, pages and figures.
func TestWhatIsNamedIsThere(t *testing.T) {
	t.Parallel()
	source := program(t)
	for where, text := range said(t) {
		check := func(kind string, form *regexp.Regexp, there func(name string) bool) {
			t.Helper()
			all := form.FindAllStringSubmatch(text, -1)
			for _, m := range all {
				if name := m[len(m)-1]; !there(name) {
					t.Errorf("%s names the %s %q, which is not there", where, kind, name)
				}
			}
			if len(all) == 0 && (kind != "figure" && kind != "log line") {
				t.Errorf("%s names no %s", where, kind)
			}
		}
		check("log line", lines, func(name string) bool { return strings.Contains(source, `"`+name+`"`) })
		check("log line", logged, func(name string) bool {
			command := strings.HasPrefix(name, "aws ") || strings.HasPrefix(name, "go run ")
			return command || strings.Contains(source, `"`+name+`"`)
		})
		check("setting", keys, func(name string) bool { return strings.Contains(source, `"`+name+`"`) })
		check("route", routes, func(name string) bool { return strings.Contains(source, `"`+name+`"`) })
		check("figure", figures, func(name string) bool { return strings.Contains(source, `"`+name+`"`) })
		check("file", scripts, func(name string) bool { _, err := os.Stat(root + name); return err == nil })
	}
}

var dotted = regexp.MustCompile("`([a-z]+(?:-[a-z]+)*\\.[a-z]+(?:-[a-z]+)*)`")

// Both pages together have every code, and none that does not exist.
func TestPagesNameCodes(t *testing.T) {
	t.Parallel()
	all := codes(t)
	both := page(t, "troubleshooting.md") + page(t, "operations.md")
	for _, c := range all {
		if !strings.Contains(both, "### "+string(c)+"\n") && !strings.Contains(both, "`"+string(c)+"`") {
			t.Errorf("no page has %s", c)
		}
	}
	families := map[string]bool{}
	for _, c := range all {
		family, _, _ := strings.Cut(string(c), ".")
		families[family] = true
	}
	for _, m := range dotted.FindAllStringSubmatch(both, -1) {
		if family, _, _ := strings.Cut(m[1], "."); families[family] && !slices.Contains(all, fault.Code(m[1])) {
			t.Errorf("the pages name %s, which is no code", m[1])
		}
	}
}

// The page sends people to the codes that end jobs from where their symptoms are told, so that they are found both ways.
func TestSymptomsLeadToCodes(t *testing.T) {
	t.Parallel()
	written, _, _ := strings.Cut(page(t, "troubleshooting.md"), begin)
	for _, c := range []fault.Code{
		fault.SignerUnreachable, fault.SignerTimeout, fault.SignerFolderNoHolderAction, fault.SignerFolderSignatureRefused,
		fault.SignerFolderKeyUnavailable, fault.SignerFolderURLMalformed, fault.SignerFolderProfileChanged, fault.SignerFolderInterrupted,
		fault.SignerFolderSignatureFailed, fault.SignerFolderGone, fault.SignerNotConfigured, fault.CertificateWithoutCPF,
		fault.JobOutputExists, fault.JobKeyRefused, fault.JobKeySilent, fault.JobGivenUp, fault.JobInputHeld, fault.JobInputDiverged,
		fault.CertificateExpired, fault.CertificateUntrusted, fault.RevocationUnavailable, fault.EncryptionUnavailable,
		fault.AuthInvalidCredentials, fault.RateLimited, fault.ProfileDegraded, fault.StorageUnfit, fault.MessageMalformed,
	} {
		if !strings.Contains(written, "[`"+string(c)+"`](#"+anchor(string(c))+")") {
			t.Errorf("no symptom leads to %s", c)
		}
	}
}
