package api_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/settings"
)

// watching is a service whose folders fare in every way.
func watching(_ *service, p *api.Parts) {
	p.Settings.WatchedFolder = settings.WatchedFolder{IgnoredExtensions: []string{".tmp"}, IgnoredPrefixes: []string{"."}}
	p.Settings.Storage.Inputs = []settings.Input{
		{Name: "in", Prefix: "in/", Profile: "contracts", IgnoredExtensions: []string{".bak", ".tmp"}},
		{Name: "rest", Profile: "default"}, {Name: "off", Prefix: "off/", Profile: "off"},
		{Name: "gone", Prefix: "gone/", Profile: "gone"}, {Name: "wrong", Prefix: "wrong/", Profile: "folder"},
	}
}

func TestFolders(t *testing.T) {
	t.Parallel()
	s := newService(t, watching)
	s.files = map[string]job.FolderState{"in": {Files: 50, More: true}, "rest": {}}
	s.counts = []job.Count{{Labels: `{"folder":"in"}`, Part: job.PartTotal, Value: 7}, {Labels: `{"folder":"(upload)"}`, Part: job.PartTotal, Value: 9}}
	const usual = `"ignoredExtensions":[".tmp"],"ignoredPrefixes":["."],`
	const uncounted = `"files":null,"moreFiles":false,"enqueued":0}`
	wantJSON(t, s.send(t, "GET", "/api/folders", ""), 200, `{"folders":[
		{"name":"in","path":"in/","status":"Running","profileName":"contracts","profileFormat":"Pades","ignoredExtensions":[".tmp",".bak"],"ignoredPrefixes":["."],"files":50,"moreFiles":true,"enqueued":7},
		{"name":"rest","path":"","status":"Running","profileName":"default","profileFormat":null,`+usual+`"files":0,"moreFiles":false,"enqueued":0},
		{"name":"off","path":"off/","status":"Stopped","profileName":"off","profileFormat":null,`+usual+uncounted+`,
		{"name":"gone","path":"gone/","status":"Unassigned","profileName":"gone","profileFormat":null,`+usual+uncounted+`,
		{"name":"wrong","path":"wrong/","status":"Unassigned","profileName":"folder","profileFormat":null,`+usual+uncounted+`]}`)
	if want := map[string]string{"in": "in/", "rest": "", "off": "off/", "gone": "gone/", "wrong": "wrong/"}; !maps.Equal(s.prefixes, want) {
		t.Errorf("looked into %v, want %v", s.prefixes, want)
	}
	wantJSON(t, newService(t, func(_ *service, p *api.Parts) { p.Settings.Storage.Inputs = nil }).send(t, "GET", "/api/folders", ""), 200, `{"folders":[]}`)
	for _, method := range []string{"CountersOf", "Profiles"} {
		s.fail[method] = fault.New(fault.Throttled, "the table is busy")
		wantProblem(t, s.send(t, "GET", "/api/folders", ""), 503, fault.Throttled)
	}
}

func TestRescan(t *testing.T) {
	t.Parallel()
	s := newService(t, watching)
	s.rescan = job.RescanReport{Folders: []job.RescanFolder{
		{Name: "in", Path: "in/", Scanned: 21, Enqueued: 1, AlreadyActive: 2, AlreadyProcessed: 3, Ignored: 4, Errors: 5, EnqueuedFiles: []string{"ação.pdf"}},
		{Name: "gone", Path: "gone/", Scanned: 1, Ignored: 1},
	}}
	wantJSON(t, s.send(t, "POST", "/api/rescan", ""), 200, `{"folders":[
		{"name":"in","path":"in/","scanned":21,"enqueued":1,"alreadyActive":2,"alreadyProcessed":3,"ignored":4,"errors":5,"enqueuedFiles":["ação.pdf"],"unassigned":false},
		{"name":"gone","path":"gone/","scanned":1,"enqueued":0,"alreadyActive":0,"alreadyProcessed":0,"ignored":1,"errors":0,"enqueuedFiles":[],"unassigned":true}],
		"totals":{"folders":2,"scanned":22,"enqueued":1,"alreadyActive":2,"alreadyProcessed":3,"ignored":5,"errors":5},"complete":false}`)
	s.rescan = job.RescanReport{Complete: true}
	wantJSON(t, s.send(t, "POST", "/api/rescan?folder=in", "{}"), 200,
		`{"folders":[],"totals":{"folders":0,"scanned":0,"enqueued":0,"alreadyActive":0,"alreadyProcessed":0,"ignored":0,"errors":0},"complete":true}`)
	if d := cmp.Diff([]string{"Rescan|", "Rescan|in"}, s.told); d != "" {
		t.Errorf("told (-want +got):\n%s", d)
	}
}

func TestRescanRefuses(t *testing.T) {
	t.Parallel()
	s := newService(t, watching)
	wantProblem(t, s.send(t, "POST", "/api/rescan?folder=nothing", ""), 404, fault.FolderNotFound)
	for _, target := range []string{"?folder=", "?folder", "?folder=in&folder=rest", "?Folder=in", "?profile=x"} {
		wantProblem(t, s.send(t, "POST", "/api/rescan"+target, ""), 400, fault.RequestInvalid)
	}
	for _, body := range []string{`{"folder":"in"}`, "folder=in", "[]"} {
		wantProblem(t, s.send(t, "POST", "/api/rescan", body), 400, fault.RequestInvalid)
	}
	if d := cmp.Diff([]string{"Rescan|nothing"}, s.told); d != "" {
		t.Errorf("told (-want +got):\n%s", d)
	}
	s.fail["Rescan"] = fault.New(fault.JobRaceLost, "a search is under way")
	wantProblem(t, s.send(t, "POST", "/api/rescan", ""), 409, fault.JobRaceLost)
}

func TestSignerFolders(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.folders = []job.SignerFolder{{ID: boundID, Name: "Automatic signature"}, {ID: agreement118, Name: "Inside", ParentID: boundID}}
	wantJSON(t, s.send(t, "GET", "/api/signer/folders?q=a%C3%A7%C3%A3o", ""), 200, `{"folders":[
		{"id":"`+boundID+`","name":"Automatic signature","parentId":null},{"id":"`+agreement118+`","name":"Inside","parentId":"`+boundID+`"}]}`)
	s.folders = nil
	wantJSON(t, s.send(t, "GET", "/api/signer/folders?q=", ""), 200, `{"folders":[]}`)
	if d := cmp.Diff([]string{"SignerFolders|ação", "SignerFolders|"}, s.told); d != "" {
		t.Errorf("told (-want +got):\n%s", d)
	}
	wantProblem(t, s.send(t, "GET", "/api/signer/folders?q=%00", ""), 400, fault.RequestInvalid)
	wantProblem(t, s.send(t, "GET", "/api/signer/folders?q=a&q=b", ""), 400, fault.RequestInvalid)
	s.fail["SignerFolders"] = fault.Wrap(fault.SignerUnreachable, errDown, "Lacuna Signer was asked to list folders: it did not answer")
	p := wantProblem(t, s.send(t, "GET", "/api/signer/folders", ""), 502, fault.SignerUnreachable)
	if p.Detail != "Lacuna Signer was asked to list folders: it did not answer" {
		t.Errorf("detail = %q", p.Detail)
	}
	p = wantProblem(t, s.send(t, "GET", "/api/signer/folders", "", "Accept-Language", "pt-BR"), 502, fault.SignerUnreachable)
	if p.Detail != api.Portuguese(fault.SignerUnreachable) {
		t.Errorf("detail = %q, want it in Portuguese", p.Detail)
	}
	s.fail["SignerFolders"] = fault.New(fault.SignerNotConfigured, "there is none")
	wantProblem(t, s.send(t, "GET", "/api/signer/folders", ""), 409, fault.SignerNotConfigured)
}
