package main_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/jsii-runtime-go"

	infra "bulksigner/infra"
)

// Columns of a report of cdk-nag.
const (
	nagRule = iota
	nagResource
	nagCompliance
	nagReason
)

// report reads what the rules found in a deployment: a line for each resource that a rule looked at.
func report(t *testing.T, s template) [][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(s.file), "AwsSolutions-*-NagReport.csv"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the reports are %v, %v, want one", files, err)
	}
	f, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.LazyQuotes = true
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return lines[1:]
}

// TestNoFindings: whatever is chosen, each rule that looked at a resource is kept, or has been set aside there for a reason
// that somebody wrote. None gave up.
func TestNoFindings(t *testing.T) {
	t.Parallel()
	for name := range deployments {
		lines := report(t, stack(t, name))
		kept := 0
		for _, l := range lines {
			switch {
			case l[nagCompliance] == "Compliant":
				kept++
			case l[nagCompliance] != "Suppressed":
				t.Errorf("%s: %s finds %s %s", name, l[nagRule], l[nagResource], l[nagCompliance])
			case len(strings.Fields(l[nagReason])) < 8:
				t.Errorf("%s: %s is kept from %s because %q", name, l[nagResource], l[nagRule], l[nagReason])
			}
		}
		if kept < 15 {
			t.Errorf("%s: %d rules are kept, of %d", name, kept, len(lines))
		}
	}
}

// TestReviewFinds: what breaks a rule without a reason stops the deployment.
func TestReviewFinds(t *testing.T) {
	t.Parallel()
	stack(t, "plain") // all others are made: the constructs do one thing at a time
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: jsii.String(t.TempDir()), AnalyticsReporting: jsii.Bool(false)})
	made := awscdk.NewStack(app, jsii.String("bare"), nil)
	awss3.NewBucket(made, jsii.String("Bare"), nil)
	infra.Review(app)
	found := ""
	for _, r := range infra.Remarks(app.Synth(nil).GetStackArtifact(made.ArtifactId())) {
		if r.Error {
			found += r.Text + "\n"
		}
	}
	if !strings.Contains(found, "AwsSolutions-S1[") && !strings.Contains(found, "AwsSolutions-S1:") || !strings.Contains(found, "AwsSolutions-S10") {
		t.Errorf("a bucket without access logs that takes requests in clear is found to be:\n%s", found)
	}
}
