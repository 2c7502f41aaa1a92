package main_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	infra "bulksigner/infra"
)

// TestImage: where keys are on tokens, sign is an image, and only sign; it is told of its cluster and led to it.
func TestImage(t *testing.T) {
	t.Parallel()
	s := stack(t, "token")
	for id, f := range s.functions() {
		kind, code := f.at("PackageType"), f.at("Code.ImageUri")
		if image := kind == "Image" && strings.Contains(code, "container-assets"); image != (id == "Sign") {
			t.Errorf("%s is deployed as %q from %s", id, kind, code)
		}
		if told := f.at("Environment.Variables.HSM_ADDRESSES") != ""; told != (id == "Sign") {
			t.Errorf("%s is told of the cluster: %v", id, told)
		}
	}
	sign := s.one(t, "AWS::Lambda::Function", "Sign")
	check(t, "Sign", sign, map[string]string{
		"Architectures": `["arm64"]`, "Runtime": "", "Handler": "", "Timeout": "300", "EphemeralStorage.Size": "4096",
		"Environment.Variables.HSM_ADDRESSES": "10.0.1.5 10.0.2.6",
	})
	if ca := sign.at("Environment.Variables.HSM_CA_CERTIFICATE"); !strings.HasPrefix(ca, "-----BEGIN CERTIFICATE-----\n") {
		t.Errorf("the cluster is known by %q", ca)
	}
	for kind, want := range map[string]map[string]string{
		"AWS::EC2::SecurityGroupIngress": {"GroupId": "sg-0123456789abcdef1", "SourceSecurityGroupId": "{TokenGroup}"},
		"AWS::EC2::SecurityGroupEgress":  {"GroupId": "{TokenGroup}", "DestinationSecurityGroupId": "sg-0123456789abcdef1"},
	} {
		for id, r := range s.named(kind) {
			check(t, id, r, want)
			check(t, id, r, map[string]string{"IpProtocol": "tcp", "FromPort": "2223", "ToPort": "2225"})
		}
		if n := len(s.named(kind)); n != 1 {
			t.Errorf("%d of %s, want 1", n, kind)
		}
	}
}

// TestImageRefusals: a cluster is described in whole or not at all, and its profiles are such as the image can open.
func TestImageRefusals(t *testing.T) {
	t.Parallel()
	token := configured(tokenProfile("ledgers", pin))
	plain := configured(pfxProfile("letters", letters, lettersPass))
	elsewhere := tokenProfile("ledgers", pin)
	elsewhere.(map[string]any)["Certificate"].(map[string]any)["CloudHsm"].(map[string]any)["ModulePath"] = "/opt/other.so"
	whole := with(theirVPC, cluster)
	without := func(keys ...string) map[string]any {
		c := with(whole)
		for _, k := range keys {
			delete(c, k)
		}
		return c
	}
	tests := []struct {
		name     string
		context  map[string]any
		settings map[string]any
		want     []string
	}{
		{"a cluster for profiles to come", whole, plain, nil},
		{"a profile and nothing else", nil, token, []string{"profile ledgers: its key is on a PKCS#11 token (CloudHsm)",
			"lacks hsmAddresses, hsmSecurityGroupId, hsmCaCertificate, hsmClientSha256, vpcId (or vpc)", "Kms", "Pfx"}},
		{"no network", cluster, token, []string{"lacks vpcId (or vpc);"}},
		{"a cluster in a new network", with(cluster, map[string]any{"vpc": "new"}), token, nil},
		{"a half of a cluster", without("hsmSecurityGroupId"), plain, []string{"the context describes a CloudHSM cluster", "lacks hsmSecurityGroupId"}},
		{"a library alone", map[string]any{"hsmClientUrl": "https://packages.example.com/client.rpm"}, plain, []string{"lacks hsmAddresses"}},
		{"no sum", without("hsmClientSha256"), token, []string{"lacks hsmClientSha256"}},
		{"another library", whole, configured(elsewhere), []string{`profile ledgers: the image has one PKCS#11 library, and it is not at "/opt/other.so"`, "set ModulePath to"}},
		{"a person's documents", whole, atSigner(nil, pfxProfile("letters", letters, lettersPass), folderProfile(tokenProfile("ledgers", pin), 1)), []string{"profile ledgers: sweep looks for documents"}},
		{"words", with(whole, map[string]any{"hsmAddresses": "10.0.1.256", "hsmSecurityGroupId": "hsm", "hsmClientSha256": "none", "hsmClientUrl": "http://x/a.rpm"}), token,
			[]string{"context hsmAddresses[0]: ", "context hsmSecurityGroupId: ", "context hsmClientSha256: ", "context hsmClientUrl: "}},
		{"no certificate there", with(whole, map[string]any{"hsmCaCertificate": "@/none.crt"}), token, []string{"context hsmCaCertificate: ", "no such file"}},
		{"no certificate in it", with(whole, map[string]any{"hsmCaCertificate": "@/my-settings.json"}), token, []string{"is not one certificate in PEM", "customerCA.crt"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := deployment{settings: tt.settings, context: tt.context}.config(t.TempDir())
			checkRefused(t, err, tt.want)
		})
	}
}

// TestStage: an image is built from the program's sources, the settings and nothing else. The program for the package is
// neither needed nor taken.
func TestStage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config, err := deployments["token"].config(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "dist", "sign")); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "dist", "image", "sign")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "yesterday"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := infra.Bundle(config); err != nil {
		t.Fatal(err)
	}
	var roots []string
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		roots = append(roots, e.Name())
	}
	if want := []string{"Dockerfile", "entry.sh", "functions", "go.mod", "go.sum", "internal", "settings"}; !slices.Equal(roots, want) {
		t.Errorf("the image is built from %v, want %v", roots, want)
	}
	for _, name := range []string{"functions/sign/main.go", "functions/internal/event", "internal/pkcs11/cryptoki.h", "settings/settings.json", "settings/anchors/root.pem"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
	tests, err := filepath.Glob(filepath.Join(folder, "internal", "*", "*_test.go"))
	if err != nil || len(tests) > 0 {
		t.Errorf("tests are in it: %v, %v", tests, err)
	}
}

// instructions are the lines of the Dockerfile, those that go on joined, without comments and with single blanks.
func instructions(t *testing.T) (all []string) {
	t.Helper()
	data, err := os.ReadFile("image/sign/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(?m)^\s*#.*\n`).ReplaceAllString(string(data), "")
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			all = append(all, line)
		}
	}
	return all
}

// TestDockerfile: what an image begins with does not move, what is fetched is checked, nothing in it is secret, and the
// program knows tokens.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	pinned := regexp.MustCompile(`^FROM public\.ecr\.aws/\S+:(\d+\.\d+\.\d+\S*)( AS [a-z]+)?$`)
	counts, all := map[string]int{}, instructions(t)
	for _, line := range all {
		word, _, _ := strings.Cut(line, " ")
		counts[word]++
		if word == "FROM" && !pinned.MatchString(line) {
			t.Errorf("%q moves, want a version", line)
		}
		if (word == "ENV" || word == "ARG") && regexp.MustCompile(`(?i)pin|pass|secret|token|key`).MatchString(line) {
			t.Errorf("%q puts a secret into the image", line)
		}
		if word == "ADD" || word == "USER" || word == "CMD" {
			t.Errorf("%q: want COPY, the platform's user and the entry script", line)
		}
		if strings.Contains(line, "curl") && !strings.Contains(line, `echo "$CLIENT_SHA256 /tmp/client.rpm" | sha256sum --check --strict && dnf install`) {
			t.Errorf("%q installs what was not checked", line)
		}
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{"-tags pkcs11,lambda.norpc ", "CGO_ENABLED=1", "GOTOOLCHAIN=local", "./functions/sign", "ENV LAMBDA_TASK_ROOT=/var/task",
		"COPY --chmod=0555 entry.sh /entry.sh", `ENTRYPOINT ["/entry.sh"]`} {
		if !strings.Contains(text, want) {
			t.Errorf("the Dockerfile has no %q", want)
		}
	}
	bases := regexp.MustCompile(`amazonlinux:\S+`).FindAllString(text, -1)
	if counts["FROM"] != 3 || len(bases) != 2 || bases[0] != bases[1] {
		t.Errorf("the program is linked in one of %v and runs in the other", bases)
	}
}

// TestToolchain: the image's Go is one that the module can be built with.
func TestToolchain(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	module := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(data)
	if image := "golang:" + string(module[1]) + "."; !strings.Contains(strings.Join(instructions(t), "\n"), image) {
		t.Errorf("the module is of Go %s, and the image has another", module[1])
	}
}

// TestEntry runs the entry script in a folder, with a tool that says how it was called.
func TestEntry(t *testing.T) {
	t.Parallel()
	configured := []string{"--hsm-ca-cert", "/opt/cloudhsm/etc/customerCA.crt", "--log-type", "term", "--log-level", "warn"}
	tests := map[string]struct {
		environ []string
		want    []string
		refused string
	}{
		"two HSMs":       {[]string{"HSM_ADDRESSES=10.0.1.5 10.0.2.6", "HSM_CA_CERTIFICATE=of tests"}, append(slices.Clone(configured), "-a", "10.0.1.5", "10.0.2.6"), ""},
		"one HSM":        {[]string{"HSM_ADDRESSES=10.0.1.5", "HSM_CA_CERTIFICATE=of tests"}, append(slices.Clone(configured), "--disable-key-availability-check", "-a", "10.0.1.5"), ""},
		"no address":     {[]string{"HSM_CA_CERTIFICATE=of tests"}, nil, "HSM_ADDRESSES"},
		"no certificate": {[]string{"HSM_ADDRESSES=10.0.1.5"}, nil, "HSM_CA_CERTIFICATE"},
	}
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt, root := tests[name], t.TempDir()
			out, err := runEntry(t, root, tt.environ)
			if tt.refused != "" {
				if err == nil || !strings.Contains(out, tt.refused) {
					t.Errorf("it says %q and %v, want it to refuse for want of %s", out, err, tt.refused)
				}
				return
			}
			if err != nil || !strings.HasSuffix(out, "the function, told of ''\n") {
				t.Fatalf("it says %q and %v, want the function to run, and to know nothing of the cluster", out, err)
			}
			called, err := os.ReadFile(filepath.Join(root, "called"))
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Fields(strings.ReplaceAll(string(called), root, ""))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("the tool is called with (-want +got):\n%s", diff)
			}
			for file, want := range map[string]string{"customerCA.crt": "of tests\n", "cloudhsm-pkcs11.cfg": "as installed"} {
				if got, err := os.ReadFile(filepath.Join(root, "tmp/cloudhsm", file)); err != nil || string(got) != want {
					t.Errorf("%s is %q, %v, want %q", file, got, err, want)
				}
			}
		})
	}
}

// runEntry runs the script with its folders below root.
func runEntry(t *testing.T, root string, environ []string) (string, error) {
	t.Helper()
	script, err := os.ReadFile("image/sign/entry.sh")
	if err != nil {
		t.Fatal(err)
	}
	moved := regexp.MustCompile(`/(opt|tmp|var)/`).ReplaceAllString(string(script), root+"/$1/")
	files := map[string]string{
		"entry.sh": moved,
		"opt/cloudhsm/etc.image/cloudhsm-pkcs11.cfg": "as installed",
		"opt/cloudhsm/bin/configure-pkcs11":          "#!/bin/sh\necho \"$@\" >" + root + "/called\n",
		"var/task/bootstrap":                         "#!/bin/sh\necho \"the function, told of '${HSM_ADDRESSES:-}${HSM_CA_CERTIFICATE:-}'\"\n",
	}
	for name, data := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", filepath.Join(root, "entry.sh"))
	cmd.Env = append([]string{"PATH=/usr/bin:/bin"}, environ...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
