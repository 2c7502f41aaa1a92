package objects_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

func TestDeleteHidesAndKeepsVersions(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "hide")
	o := b.put(t, names[1], []byte("content"))
	inputs, _ := b.through(intercept(func(r *http.Request) *http.Response {
		if r.Method == http.MethodDelete && (r.URL.Query().Has("versionId") || r.Header.Get("If-Match") != `"`+o.ETag+`"`) {
			t.Errorf("DELETE %s with If-Match %q", r.URL, r.Header.Get("If-Match"))
		}
		return nil
	}))
	is(t, "Delete", inputs.Delete(t.Context(), o), nil)
	_, err := b.inputs.Current(t.Context(), o.Key)
	is(t, "Current", err, fault.JobInputMissing)
	is(t, "second Delete", inputs.Delete(t.Context(), o), fault.JobInputMissing)

	if _, err := b.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: &b.in, Key: &o.Key, VersionId: &o.VersionID}); err != nil {
		t.Errorf("the version is gone: %v", err)
	}
}

func TestDeleteLeavesAnotherVersion(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "leave")
	o := b.put(t, "document", []byte("content"))
	now := b.put(t, "document", []byte("corrected"))
	is(t, "Delete", b.inputs.Delete(t.Context(), o), fault.JobInputDiverged)
	if got, err := b.inputs.Current(t.Context(), o.Key); err != nil || got.VersionID != now.VersionID {
		t.Errorf("Current = %v, %v, want version %s", got, err, now.VersionID)
	}
	now.VersionID = ""
	is(t, "Delete without a version", b.inputs.Delete(t.Context(), now), fault.JobInputDiverged)
}

func TestDeleteLooksAgain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		status int
		code   string
		before func(t *testing.T, b bucket) // what happens between the look and the deletion
		want   error
	}{
		{"replaced meanwhile", 412, "PreconditionFailed", func(t *testing.T, b bucket) { b.put(t, "document", []byte("new")) }, fault.JobInputDiverged},
		{"hidden meanwhile", 404, "NoSuchKey", func(t *testing.T, b bucket) { b.hide(t, b.in, "document") }, fault.JobInputMissing},
		{"hidden by a try whose answer was lost", 412, "PreconditionFailed", func(t *testing.T, b bucket) { b.hide(t, b.in, "document") }, fault.JobInputMissing},
		{"another request was under way", 409, "ConditionalRequestConflict", func(*testing.T, bucket) {}, nil},
		{"may not be deleted", 403, "AccessDenied", func(*testing.T, bucket) {}, fault.JobInputHeld},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBuckets(t, "again")
			o := b.put(t, "document", []byte("content"))
			var deletions atomic.Int32
			inputs, _ := b.through(intercept(func(r *http.Request) *http.Response {
				if r.Method != http.MethodDelete || deletions.Add(1) > 1 {
					return nil
				}
				tt.before(t, b)
				return refusal(r, tt.status, tt.code)
			}))
			is(t, "Delete", inputs.Delete(t.Context(), o), tt.want)
		})
	}
}

func TestDeleteGivesUp(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "giveup")
	o := b.put(t, "document", []byte("content"))
	for _, tt := range []struct {
		status int
		code   string
		asked  int
	}{
		{412, "PreconditionFailed", 4},
		{403, "RequestTimeTooSkewed", 1}, // our clock says nothing about the object
		{500, "InternalError", 1},
	} {
		t.Run(tt.code, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				inputs, _ := b.through(intercept(func(r *http.Request) *http.Response {
					if r.Method == http.MethodHead {
						return described(o)
					}
					asked++
					return refusal(r, tt.status, tt.code)
				}))
				uncoded(t, "Delete", inputs.Delete(t.Context(), o))
				if asked != tt.asked {
					t.Errorf("asked %d times, want %d", asked, tt.asked)
				}
			})
		})
	}
}

// described is the answer to a HEAD of o.
func described(o job.Object) *http.Response {
	resp := answer(200, "")
	resp.Header.Set("X-Amz-Version-Id", o.VersionID)
	resp.Header.Set("Etag", `"`+o.ETag+`"`)
	return resp
}
