package workflow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"time"

	"bulksigner/internal/job"
)

// changed leaves out, where the settings ask for it, what has not changed since it was last read back. That counts only
// while folder and certificate are those that it was read for: to another holder an old document can be news.
func (f *folderSweep) changed(ctx context.Context, docs []job.ListedDocument) []*look {
	var seen map[string]time.Time
	if f.Remote.SkipUnchanged && f.state.Read[f.profile.Name] == f.imprint {
		ids := make([]string, len(docs))
		for i, d := range docs {
			ids[i] = d.ID
		}
		var err error
		if seen, err = f.Discoveries.Seen(ctx, ids); err != nil {
			slog.WarnContext(ctx, "all documents are read: what was read before is not known", "err", err)
		}
	}
	looks := make([]*look, 0, len(docs))
	for _, d := range docs {
		if at, ok := seen[d.ID]; !ok || d.UpdatedAt.IsZero() || !sameMoment(at, d.UpdatedAt) {
			looks = append(looks, &look{id: d.ID})
		}
	}
	return looks
}

// readToTheEnd notes for whom the whole folder was read.
func (f *folderSweep) readToTheEnd() {
	if !f.Remote.SkipUnchanged {
		return
	}
	if f.state.Read == nil {
		f.state.Read = map[string]string{}
	}
	f.state.Read[f.profile.Name] = f.imprint
}

// imprint tells folders and certificates apart.
func (a watch) imprint() string {
	sum := sha256.Sum256(append([]byte(a.id()), a.cert.Raw...))
	return hex.EncodeToString(sum[:8])
}

// sameMoment compares times as they are stored.
func sameMoment(a, b time.Time) bool {
	return a.Truncate(time.Millisecond).Equal(b.Truncate(time.Millisecond))
}
