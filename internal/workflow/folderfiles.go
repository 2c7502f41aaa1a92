package workflow

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"bulksigner/internal/job"
)

const (
	// maxFiles is how many files of a folder are counted, and maxLooked how many objects are looked at for them: one page
	// of a listing.
	maxFiles  = 50
	maxLooked = 1000
	filesTime = 5 * time.Second
)

// FolderFiles counts what lies in folders and could be a job, up to 50 files each, by the folders' names. A folder that
// cannot be looked into in time is left out.
func (w *Workflow) FolderFiles(ctx context.Context, prefixes map[string]string) map[string]job.FolderState {
	ctx, cancel := context.WithTimeout(ctx, filesTime)
	defer cancel()
	names := slices.Sorted(maps.Keys(prefixes))
	states, errs := make([]job.FolderState, len(names)), make([]error, len(names))
	inParallel(atOnce, indexes(len(names)), func(i int) { states[i], errs[i] = w.filesIn(ctx, names[i], prefixes[names[i]]) })
	found := map[string]job.FolderState{}
	for i, name := range names {
		if errs[i] != nil {
			slog.WarnContext(ctx, "files not counted", "folder", name, "err", errs[i])
			continue
		}
		found[name] = states[i]
	}
	return found
}

// filesIn counts the files of one folder. A folder can lie in another: an object belongs to the one that takes it in.
func (w *Workflow) filesIn(ctx context.Context, name, prefix string) (f job.FolderState, _ error) {
	looked := 0
	for o, err := range w.Inputs.List(ctx, prefix, "") {
		if err != nil {
			return f, err
		}
		if f.Files == maxFiles {
			f.More = true
			return f, nil
		}
		if p := w.Place(o.Key); p.Ignored == "" && p.Folder == name && o.Size > 0 {
			f.Files++
		}
		if looked++; looked == maxLooked { // one object more would be another page
			f.More = true
			return f, nil
		}
	}
	return f, nil
}
