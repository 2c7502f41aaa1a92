package workflow_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
)

// shelf is a bucket with keys, which can be listed; beneath some prefixes it cannot.
type shelf struct {
	workflow.Inputs
	keys   []string
	broken string
	given  *atomic.Int64 // how many keys were taken
}

func (s shelf) List(_ context.Context, prefix, _ string) iter.Seq2[job.Object, error] {
	return func(yield func(job.Object, error) bool) {
		if prefix == s.broken {
			yield(job.Object{}, errQueue)
			return
		}
		for _, key := range s.keys {
			if !strings.HasPrefix(key, prefix) {
				continue
			}
			s.given.Add(1)
			if size := int64(len(key) - strings.Count(key, "empty")*len(key)); !yield(job.Object{Key: key, Size: size}, nil) {
				return
			}
		}
	}
}

func numbered(n int, prefix string) (keys []string) {
	for i := range n {
		keys = append(keys, fmt.Sprintf("%s%04d.pdf", prefix, i))
	}
	return keys
}

func TestFolderFiles(t *testing.T) {
	t.Parallel()
	inner := func(key string) workflow.Place {
		switch {
		case strings.HasSuffix(key, ".tmp"):
			return workflow.Place{Ignored: "extension .tmp"}
		case strings.HasPrefix(key, "in/deep/"):
			return workflow.Place{Folder: "deep"}
		case strings.HasPrefix(key, "in/"):
			return workflow.Place{Folder: "in"}
		}
		return workflow.Place{Folder: "rest"}
	}
	tests := []struct {
		name string
		keys []string
		want map[string]job.FolderState
	}{
		{"nothing", nil, map[string]job.FolderState{"in": {}, "deep": {}}},
		{"each to its own", []string{"in/a.pdf", "in/b.tmp", "in/deep/c.pdf", "in/empty", "out.pdf"}, map[string]job.FolderState{"in": {Files: 1}, "deep": {Files: 1}}},
		{"fifty", numbered(50, "in/"), map[string]job.FolderState{"in": {Files: 50}, "deep": {}}},
		{"fifty-one", numbered(51, "in/"), map[string]job.FolderState{"in": {Files: 50, More: true}, "deep": {}}},
		{"a thousand of another", append(numbered(1000, "in/deep/"), "in/x.pdf"), map[string]job.FolderState{"in": {More: true}, "deep": {Files: 50, More: true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var given atomic.Int64
			w := workflow.New(workflow.Parts{Inputs: shelf{keys: tt.keys, broken: "gone/", given: &given}, Place: inner})
			got := w.FolderFiles(t.Context(), map[string]string{"in": "in/", "deep": "in/deep/", "gone": "gone/"})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("FolderFiles (-want +got):\n%s", diff)
			}
			if n := given.Load(); n > 1000+51 {
				t.Errorf("%d objects were looked at, more than a page of the one folder and 51 of the other", n)
			}
		})
	}
}
