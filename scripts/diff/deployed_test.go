package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// formation answers like CloudFormation.
type formation struct {
	status int
	body   string
	asked  []string
	signed []string
}

func (f *formation) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	f.asked = append(f.asked, r.Form.Get("Action")+" "+r.Form.Get("StackName")+" "+r.Form.Get("NextToken"))
	f.signed = append(f.signed, r.Header.Get("Authorization"))
	if f.status != 0 {
		w.WriteHeader(f.status)
		fmt.Fprint(w, f.body)
		return
	}
	switch {
	case r.Form.Get("Action") == "GetTemplate":
		fmt.Fprint(w, `<GetTemplateResponse><GetTemplateResult><TemplateBody>`)
		xml.EscapeText(w, []byte(`{"Resources":{`+whole()+`}}`))
		fmt.Fprint(w, `</TemplateBody></GetTemplateResult></GetTemplateResponse>`)
	case r.Form.Get("NextToken") == "":
		fmt.Fprint(w, page("TableCD117FA1", "bulksigner-Table-1", "<NextToken>more</NextToken>"))
	default:
		fmt.Fprint(w, page("Input49F21B70", "bulksigner-input-1", ""))
	}
}

func page(logical, physical, next string) string {
	return `<ListStackResourcesResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><ListStackResourcesResult><StackResourceSummaries><member><LogicalResourceId>` + logical +
		`</LogicalResourceId><PhysicalResourceId>` + physical + `</PhysicalResourceId></member></StackResourceSummaries>` + next + `</ListStackResourcesResult></ListStackResourcesResponse>`
}

// serve has the AWS tools find a server in CloudFormation's place, and nothing else of this machine.
func serve(t *testing.T, f *formation) {
	t.Helper()
	srv := httptest.NewServer(f)
	t.Cleanup(srv.Close)
	nowhere := filepath.Join(t.TempDir(), "none")
	for name, value := range map[string]string{"AWS_ENDPOINT_URL": srv.URL, "AWS_REGION": "sa-east-1", "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret",
		"AWS_CONFIG_FILE": nowhere, "AWS_SHARED_CREDENTIALS_FILE": nowhere, "AWS_EC2_METADATA_DISABLED": "true", "AWS_PROFILE": "", "AWS_SESSION_TOKEN": ""} {
		t.Setenv(name, value)
	}
}

func synthesized(t *testing.T, resources string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "new.json")
	if err := os.WriteFile(file, []byte(`{"Resources":{`+resources+`}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestTheDeployedTemplateIsComparedWith(t *testing.T) {
	f := &formation{}
	serve(t, f)
	var out strings.Builder
	o := options{new: synthesized(t, strings.Replace(whole(), `"AttributeName":"pk"`, `"AttributeName":"id"`, 1)), stack: "second", stop: true}
	err := run(t.Context(), o, &out)
	if err == nil || !strings.Contains(err.Error(), "Table (table). Nothing was deployed") || !strings.Contains(out.String(), "KeySchema is another") {
		t.Errorf("run = %v:\n%s", err, out.String())
	}
	if got, want := strings.Join(f.asked, ";"), "GetTemplate second "; got != want {
		t.Errorf("asked was %q, want %q", got, want)
	}
	if !strings.Contains(f.signed[0], "/sa-east-1/cloudformation/aws4_request") {
		t.Errorf("the request is signed by %q", f.signed[0])
	}
}

func TestWhatStaysIsNamedAsInTheAccount(t *testing.T) {
	f := &formation{}
	serve(t, f)
	var out strings.Builder
	if err := run(t.Context(), options{left: true, stack: "second"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bulksigner-Table-1", "bulksigner-input-1"} {
		if !strings.Contains(out.String(), name) {
			t.Errorf("%s is not named:\n%s", name, out.String())
		}
	}
}

func TestAnAnswerThatIsNoneIsToldOf(t *testing.T) {
	const missing = `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id second does not exist</Message></Error></ErrorResponse>`
	tests := []struct {
		name   string
		status int
		body   string
		want   string // of the error; "" if it is no error
		says   string
	}{
		{"no such stack", 400, missing, "", "There is no stack second: all of its 11 resources would be new."},
		{"not allowed", 403, `<ErrorResponse><Error><Code>AccessDenied</Code><Message>not authorized</Message></Error></ErrorResponse>`, "CloudFormation answers AccessDenied (403): not authorized", ""},
		{"no answer of CloudFormation", 502, "<html>", "CloudFormation answers 502", ""},
		{"no template", 200, "<GetTemplateResponse/>", "no template", ""},
	}
	for _, tt := range tests {
		f := &formation{status: tt.status, body: tt.body}
		serve(t, f)
		var out strings.Builder
		err := run(t.Context(), options{new: synthesized(t, whole()), stack: "second"}, &out)
		if tt.want == "" && (err != nil || !strings.Contains(out.String(), tt.says)) || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: run = %v, want %q:\n%s", tt.name, err, tt.want, out.String())
		}
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	serve(t, &formation{})
	if err := run(t.Context(), options{ready: true}, nil); err != nil {
		t.Errorf("with all that is needed: %v", err)
	}
	for name, want := range map[string]string{"AWS_REGION": "there is no region", "AWS_ACCESS_KEY_ID": "there are no AWS credentials"} {
		serve(t, &formation{})
		t.Setenv(name, "")
		if err := run(t.Context(), options{ready: true}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without %s: %v, want %q", name, err, want)
		}
		err := run(t.Context(), options{new: synthesized(t, whole()), stack: "second"}, nil)
		if err == nil || !strings.Contains(err.Error(), "OLD=file") || errors.Is(err, errNoStack) {
			t.Errorf("without %s: %v, want a hint at OLD", name, err)
		}
	}
}
