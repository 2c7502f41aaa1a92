package workflowtest

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// InputBucket is the name of the world's input bucket.
const InputBucket = "input"

type version struct {
	job.Object
	content []byte
	marker  bool
}

type output struct {
	job     job.ID
	content []byte
}

// Drop puts an object into the input bucket and returns its version.
func (w *World) Drop(key string, content []byte, now time.Time) job.Object {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.serial++
	sum := md5.Sum(content)
	o := job.Object{Bucket: InputBucket, Key: key, VersionID: fmt.Sprintf("v%d", w.serial), ETag: hex.EncodeToString(sum[:]),
		Size: int64(len(content)), Modified: now.UTC().Truncate(time.Millisecond)}
	w.inputs[key] = append(w.inputs[key], version{Object: o, content: content})
	return o
}

// Hide puts a delete marker on a key, as a person would.
func (w *World) Hide(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inputs[key] = append(w.inputs[key], version{marker: true})
}

// Visible reports whether an input is there, and its version.
func (w *World) Visible(key string) (job.Object, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.newest(key)
}

func (w *World) newest(key string) (job.Object, bool) {
	vs := w.inputs[key]
	if len(vs) == 0 || vs[len(vs)-1].marker {
		return job.Object{}, false
	}
	return vs[len(vs)-1].Object, true
}

// Output returns a published output and whose it is. No output is ever written twice: the world refuses it.
func (w *World) Output(key string) (content []byte, owner job.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o := w.outputs[key]
	return o.content, o.job
}

// OutputKeys lists what was published.
func (w *World) OutputKeys() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.outputs))
}

// Occupy puts somebody else's object under an output's key.
func (w *World) Occupy(key string, content []byte) {
	w.outputs[key] = output{job: "foreign", content: content}
}

// OpenUploads counts the multipart uploads that were neither completed nor aborted.
func (w *World) OpenUploads() int { return len(w.uploads) }

// Inputs fits workflow.Inputs.
type Inputs struct{ *World }

// Current describes the newest version of a key.
func (in Inputs) Current(ctx context.Context, key string) (o job.Object, err error) {
	err = in.pass(ctx, "head input", func() error {
		var ok bool
		if o, ok = in.newest(key); !ok {
			return fault.New(fault.JobInputMissing, "the input is gone")
		}
		return nil
	})
	return o, err
}

// Fetch writes a version to to.
func (in Inputs) Fetch(ctx context.Context, o job.Object, to io.Writer) error {
	return in.pass(ctx, "get input", func() error {
		for _, v := range in.inputs[o.Key] {
			if v.VersionID == o.VersionID {
				_, err := to.Write(v.content)
				return err
			}
		}
		return fault.New(fault.JobInputMissing, "the version is gone")
	})
}

// Delete hides an object.
func (in Inputs) Delete(ctx context.Context, o job.Object) error {
	return in.pass(ctx, "delete input", func() error {
		n, ok := in.newest(o.Key)
		switch {
		case !ok:
			return fault.New(fault.JobInputMissing, "the input is gone")
		case n.VersionID != o.VersionID:
			return fault.New(fault.JobInputDiverged, "another version came")
		case in.Held:
			return fault.New(fault.JobInputHeld, "the input may not be deleted")
		}
		in.inputs[o.Key] = append(in.inputs[o.Key], version{marker: true})
		return nil
	})
}

// List goes through the current objects.
func (in Inputs) List(ctx context.Context, prefix, after string) iter.Seq2[job.Object, error] {
	var found []job.Object
	err := in.pass(ctx, "list inputs", func() error {
		for _, key := range slices.Sorted(maps.Keys(in.inputs)) {
			if o, ok := in.newest(key); ok && strings.HasPrefix(key, prefix) && key > after {
				o.VersionID = ""
				found = append(found, o)
			}
		}
		return nil
	})
	return func(yield func(job.Object, error) bool) {
		if err != nil {
			yield(job.Object{}, err)
			return
		}
		for _, o := range found {
			if !yield(o, nil) {
				return
			}
		}
	}
}

// Outputs fits workflow.Outputs.
type Outputs struct{ *World }

// Owner returns whose output has a key.
func (out Outputs) Owner(ctx context.Context, key string) (id job.ID, err error) {
	err = out.pass(ctx, "head output", func() error {
		o, ok := out.outputs[key]
		if !ok {
			return fault.New(fault.JobOutputUnavailable, "no output")
		}
		id = o.job
		return nil
	})
	return id, err
}

// Holds reports whether an original is there as it is.
func (out Outputs) Holds(ctx context.Context, key string, size int64, sum [32]byte) (there bool, err error) {
	err = out.pass(ctx, "head original", func() error {
		o, ok := out.outputs[key]
		there = ok && o.job != "foreign" && int64(len(o.content)) == size && sha256.Sum256(o.content) == sum
		return nil
	})
	return there, err
}

// Put publishes in one request.
func (out Outputs) Put(ctx context.Context, p job.Publication) error {
	return out.pass(ctx, "put output", func() error { return out.publish(p) })
}

func (out Outputs) publish(p job.Publication) error {
	if _, taken := out.outputs[p.Key]; taken {
		return fault.New(fault.JobOutputExists, "the name is taken")
	}
	content := make([]byte, p.Content.Size())
	if _, err := p.Content.ReadAt(content, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if p.Begins && sha256.Sum256(content[:p.Original.Size]) != p.SHA256 {
		return fmt.Errorf("the original's checksum differs")
	}
	out.outputs[p.Key] = output{job: p.Job, content: content}
	return nil
}

// Begin opens a multipart upload.
func (out Outputs) Begin(ctx context.Context, p job.Publication) (id string, err error) {
	err = out.pass(ctx, "create upload", func() error {
		out.serial++
		id = fmt.Sprintf("upload-%d", out.serial)
		out.uploads[id] = true
		return nil
	})
	return id, err
}

// Finish completes a multipart upload.
func (out Outputs) Finish(ctx context.Context, p job.Publication, id string) error {
	return out.pass(ctx, "complete upload", func() error {
		if !out.uploads[id] {
			return fmt.Errorf("no such upload")
		}
		if err := out.publish(p); err != nil {
			return err
		}
		delete(out.uploads, id)
		return nil
	})
}

// Abort forgets an upload.
func (out Outputs) Abort(ctx context.Context, key, id string) error {
	return out.pass(ctx, "abort upload", func() error { delete(out.uploads, id); return nil })
}
