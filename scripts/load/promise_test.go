package main

import (
	"errors"
	"strings"
	"testing"

	"bulksigner/internal/job"
	"bulksigner/internal/lacuna"
	"bulksigner/internal/lacuna/lacunatest"
)

// good is a run that kept all promises: a file, one that was tried again, one that waits for ever, and a document.
func good() snapshot {
	parent := job.ID("3")
	return snapshot{
		items: map[string]item{
			"contracts/a.pdf": {kind: files, key: "contracts/a.pdf"}, "hr/b.pdf": {kind: dispatches, key: "hr/b.pdf"},
			"hr/c parado.pdf": {kind: dispatches, key: "hr/c parado.pdf"}, "Ata": {kind: documents, key: "Ata"},
		},
		jobs: []row{
			{ID: "1", OriginalPath: "contracts/a.pdf", Status: job.Completed, OutputKey: "contracts/a.pdf"},
			{ID: "3", OriginalPath: "hr/b.pdf", Status: job.Failed, ErrorCode: "signer.unreachable"},
			{ID: "4", ParentID: &parent, OriginalPath: "hr/b.pdf", Status: job.Completed, OutputKey: "hr/b.pdf", DocumentID: "d4"},
			{ID: "5", OriginalPath: "hr/c parado.pdf", Status: job.AwaitingSigner},
			{ID: "6", DocumentName: "Ata", Status: job.Completed, DocumentID: "d6"},
		},
		inputs:  map[string]bool{"hr/c parado.pdf": true},
		outputs: map[string]bool{"contracts/a.pdf": true, "hr/b.pdf": true},
		remote: []lacunatest.State{
			{ID: "d4", Status: lacunatest.Concluded, Tags: map[string]string{lacuna.TagLabel: "4"}},
			{ID: "d6", Name: "Ata", Status: lacunatest.Concluded, Actions: []lacunatest.ActionState{{ID: "x", Accepted: 1}}},
		},
		verified: map[job.ID]error{"1": nil},
	}
}

// TestBrokenPromises breaks each promise, and only that.
func TestBrokenPromises(t *testing.T) {
	t.Parallel()
	parent := job.ID("3")
	tests := []struct {
		name  string
		spoil func(*snapshot)
		want  string // part of the one thing that is told; "": nothing is
	}{
		{"none", func(*snapshot) {}, ""},
		{"an input is held for a reason", func(s *snapshot) {
			s.inputs["contracts/a.pdf"], s.jobs[0].ErrorCode = true, "job.input-held"
		}, ""},
		{"nobody took a document in", func(s *snapshot) { s.jobs = s.jobs[:4] }, "Ata has no job"},
		{"a job of nothing", func(s *snapshot) {
			s.jobs = append(s.jobs, row{ID: "7", DocumentName: "Ata 2", Status: job.Failed})
		}, "which nobody brought"},
		{"two jobs", func(s *snapshot) { s.jobs = append(s.jobs, row{ID: "7", DocumentName: "Ata", Status: job.Canceled}) }, "Ata has 2 jobs"},
		{"two retries", func(s *snapshot) {
			s.jobs = append(s.jobs, row{ID: "7", ParentID: &parent, OriginalPath: "hr/b.pdf", Status: job.Canceled})
		}, "was tried again 2 times"},
		{"a job goes on", func(s *snapshot) { s.jobs[4].Status = job.Processing }, "has not ended"},
		{"a job waits for somebody who comes", func(s *snapshot) { s.jobs[4].Status = job.AwaitingSigner }, "has not ended"},
		{"a completed input", func(s *snapshot) { s.inputs["contracts/a.pdf"] = true }, "the input is still there"},
		{"a lost input", func(s *snapshot) { clear(s.inputs) }, "the input is gone"},
		{"a lost output", func(s *snapshot) { delete(s.outputs, "contracts/a.pdf") }, "there is no output"},
		{"an output of nothing", func(s *snapshot) { s.outputs["contracts/z.pdf"] = true }, "that of 0 jobs"},
		{"two documents of a job", func(s *snapshot) { s.remote = append(s.remote, s.remote[0]) }, "two documents at Lacuna Signer"},
		{"a document of no job", func(s *snapshot) {
			s.remote = append(s.remote, lacunatest.State{ID: "d7", Tags: map[string]string{lacuna.TagLabel: "7"}})
		}, "of job 7, which there is not"},
		{"two signatures", func(s *snapshot) { s.remote[1].Actions[0].Accepted = 2 }, "2 signatures were accepted"},
		{"a document that is not signed", func(s *snapshot) { s.remote[1].Status = lacunatest.Pending }, "its document is Pending"},
		{"a bad output", func(s *snapshot) { s.verified["1"] = errors.New("broken") }, "the output is not good (broken)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := good()
			tt.spoil(&s)
			got := s.broken()
			if tt.want == "" {
				if len(got) != 0 {
					t.Errorf("broken: %q", got)
				}
				return
			}
			if len(got) != 1 || !strings.Contains(got[0], tt.want) {
				t.Errorf("broken: %q, want %q alone", got, tt.want)
			}
		})
	}
}

// TestEarlyVerdict: what time can mend is not held against a run that was ended early, and the rest is.
func TestEarlyVerdict(t *testing.T) {
	t.Parallel()
	s := good()
	s.early = true
	s.jobs[0].Status, s.jobs[4].Status = job.Verifying, job.Processing
	s.items["contracts/new.pdf"] = item{kind: files, key: "contracts/new.pdf"}
	s.remote = append(s.remote, lacunatest.State{ID: "d9", Tags: map[string]string{lacuna.TagLabel: "9"}})
	if got := s.broken(); len(got) != 0 {
		t.Errorf("broken: %q", got)
	}
	if s.early = false; len(s.broken()) < 4 {
		t.Errorf("broken at the end: %q", s.broken())
	}
	s = good()
	s.early, s.remote[1].Actions[0].Accepted = true, 2
	if got := s.broken(); len(got) != 1 {
		t.Errorf("two signatures are %q", got)
	}
	s = good()
	s.early = true
	delete(s.outputs, "contracts/a.pdf")
	if got := s.broken(); len(got) != 1 {
		t.Errorf("a lost output is %q", got)
	}
}

// TestUploadsHaveInputsAndOutputs: their keys have an id in them that no item knows.
func TestUploadsHaveInputsAndOutputs(t *testing.T) {
	t.Parallel()
	s := good()
	s.items["uploads/r.pdf"] = item{kind: uploads, key: "uploads/r.pdf"}
	s.jobs = append(s.jobs, row{ID: "8", OriginalPath: "uploads/8/r.pdf", Status: job.Completed, OutputKey: "letters/r.pdf"})
	s.outputs["letters/r.pdf"] = true
	if got := s.broken(); len(got) != 0 {
		t.Errorf("broken: %q", got)
	}
	s.inputs["uploads/8/r.pdf"] = true
	if got := s.broken(); len(got) != 1 || !strings.Contains(got[0], "the input is still there") {
		t.Errorf("an input that stays is %q", got)
	}
	s.jobs = append(s.jobs, row{ID: "9", OriginalPath: "uploads/9/r.pdf", Status: job.Failed})
	if got := strings.Join(s.broken(), "\n"); !strings.Contains(got, "has 2 jobs that retry none") {
		t.Errorf("an upload that was taken twice is %q", got)
	}
}
