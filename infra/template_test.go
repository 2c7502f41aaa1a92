package main_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"

	infra "bulksigner/infra"
)

func TestMain(m *testing.M) {
	code := m.Run()
	jsii.Close()
	for _, dir := range temporary {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

var temporary []string

// template is a synthesized stack.
type template struct {
	Resources map[string]resource
	Outputs   map[string]map[string]any
	remarks   []infra.Remark
	file      string
}

type resource struct {
	Type                                string
	Properties                          map[string]any
	DependsOn                           []string
	DeletionPolicy, UpdateReplacePolicy string
	Metadata                            map[string]any
}

// stacks are the deployments that the tests look at. The constructs run in one Node process, one after the other; the tests
// read what came of it.
var stacks = sync.OnceValues(func() (map[string]template, error) {
	all := map[string]template{}
	for name, d := range deployments {
		t, err := synthesize(name, d)
		if err != nil {
			return nil, fmt.Errorf("synthesize %s: %w", name, err)
		}
		all[name] = t
	}
	return all, nil
})

// stack returns a deployment by name.
func stack(t *testing.T, name string) template {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		if os.Getenv("BULKSIGNER_NO_SKIP") == "1" {
			t.Fatal("node is not on PATH: install Node.js (package nodejs)")
		}
		t.Skip("node is not on PATH: install Node.js (package nodejs) to test the deployment")
	}
	all, err := stacks()
	if err != nil {
		t.Fatal(err)
	}
	return all[name]
}

func synthesize(name string, d deployment) (template, error) {
	dir, err := os.MkdirTemp("", "infra")
	if err != nil {
		return template{}, err
	}
	temporary = append(temporary, dir)
	config, err := d.config(dir)
	if err != nil {
		return template{}, err
	}
	if err := infra.Bundle(config); err != nil {
		return template{}, err
	}
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: jsii.String(filepath.Join(dir, "out")), AnalyticsReporting: jsii.Bool(false)})
	made := infra.NewStack(app, config)
	infra.Review(app)
	artifact := app.Synth(nil).GetStackArtifact(made.ArtifactId())
	data, err := os.ReadFile(*artifact.TemplateFullPath())
	if err != nil {
		return template{}, err
	}
	t := template{remarks: infra.Remarks(artifact), file: *artifact.TemplateFullPath()}
	return t, json.Unmarshal(data, &t)
}

// named returns the resources of a type by their construct's name, which is their logical id without its hash.
func (t template) named(kind string) map[string]resource {
	found := map[string]resource{}
	for id, r := range t.Resources {
		if r.Type == kind {
			found[plain(id)] = r
		}
	}
	return found
}

// one returns the resource of a type with a name.
func (t template) one(tt *testing.T, kind, name string) resource {
	tt.Helper()
	r, ok := t.named(kind)[name]
	if !ok {
		tt.Fatalf("there is no %s named %s", kind, name)
	}
	return r
}

// functions are the service's own; the CDK can bring others along.
func (t template) functions() map[string]resource {
	found := t.named("AWS::Lambda::Function")
	maps.DeleteFunc(found, func(name string, _ resource) bool { return strings.HasPrefix(name, "BucketNotificationsHandler") })
	return found
}

var hash = regexp.MustCompile(`(Resource)?[0-9A-F]{8}$`)

func plain(id string) string { return hash.ReplaceAllString(id, "") }

// at follows a path of keys and writes what is there as a text.
func (r resource) at(path string) string {
	var v any = r.Properties
	for _, key := range strings.Split(path, ".") {
		if list, ok := v.([]any); ok && len(list) > 0 {
			v = list[0]
		}
		m, ok := v.(map[string]any)
		if !ok {
			return ""
		}
		v = m[key]
	}
	if v == nil {
		return ""
	}
	return text(v)
}

// text writes a value as deployment would fill it in: in partition aws, region REGION, account ACCOUNT, and with the name
// of a construct where its ARN or name will be.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		if ref, ok := v["Ref"].(string); ok {
			return map[string]string{"AWS::Partition": "aws", "AWS::Region": "REGION", "AWS::AccountId": "ACCOUNT",
				"AWS::URLSuffix": "amazonaws.com"}[ref] + plainRef(ref)
		}
		if get, ok := v["Fn::GetAtt"].([]any); ok {
			return plainRef(get[0].(string))
		}
		if join, ok := v["Fn::Join"].([]any); ok {
			return strings.Join(texts(join[1]), join[0].(string))
		}
	}
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func plainRef(id string) string {
	if strings.HasPrefix(id, "AWS::") {
		return ""
	}
	return "{" + plain(id) + "}"
}

// texts writes one value or a list of them.
func texts(v any) []string {
	list, ok := v.([]any)
	if !ok {
		return []string{text(v)}
	}
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = text(e)
	}
	return out
}

// statement is a statement of a policy.
type statement struct {
	policy, sid, effect string
	actions, resources  []string
	conditions          string
}

// statements returns the statements of all policies of the given types whose names begin with a prefix.
func (t template) statements(prefix string, kinds ...string) []statement {
	var found []statement
	for id, r := range t.Resources {
		if !strings.HasPrefix(id, prefix) || !slices.Contains(kinds, r.Type) {
			continue
		}
		document := r.Properties["PolicyDocument"].(map[string]any)
		for _, s := range document["Statement"].([]any) {
			found = append(found, parseStatement(plain(id), s.(map[string]any)))
		}
	}
	return found
}

func parseStatement(policy string, s map[string]any) statement {
	out := statement{policy: policy, effect: text(s["Effect"]), actions: texts(s["Action"]), resources: texts(s["Resource"])}
	if sid, ok := s["Sid"]; ok {
		out.sid = text(sid)
	}
	if c, ok := s["Condition"]; ok {
		out.conditions = text(c)
	}
	return out
}

// The types of policies that are attached to roles, and to buckets and queues.
var (
	rolePolicies     = []string{"AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"}
	resourcePolicies = []string{"AWS::S3::BucketPolicy", "AWS::SQS::QueuePolicy"}
)
