package signtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// VeraPDF returns what veraPDF says about documents of PDF/A, in their order: the conformance that each claims, followed by
// the rules that it breaks. It comes from Maven Central and takes seconds, so it is asked only where BULKSIGNER_VERAPDF
// says where its classes are:
//
//	cd internal/sign/signtest/testdata/verapdf
//	mvn -q dependency:build-classpath -Dmdep.outputFile=/tmp/verapdf.path
//	export BULKSIGNER_VERAPDF=$(cat /tmp/verapdf.path)
func VeraPDF(t testing.TB, docs ...[]byte) []string {
	t.Helper()
	classes := os.Getenv("BULKSIGNER_VERAPDF")
	if classes == "" {
		t.Skip("BULKSIGNER_VERAPDF does not say where veraPDF is: a further judge, for which see signtest.VeraPDF")
	}
	_, here, _, _ := runtime.Caller(0)
	args := []string{"-cp", classes, filepath.Join(filepath.Dir(here), "testdata", "verapdf", "Judge.java")}
	dir := t.TempDir()
	for i, doc := range docs {
		file := filepath.Join(dir, strconv.Itoa(i)+".pdf")
		if err := os.WriteFile(file, doc, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	out, err := exec.CommandContext(t.Context(), Tool(t, "java", "default-jdk-headless"), args...).Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != len(docs) {
		t.Fatalf("veraPDF: %v\n%s", err, out)
	}
	return lines
}
