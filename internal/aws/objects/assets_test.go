package objects_test

import (
	"bytes"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"bulksigner/internal/aws/objects"
	"bulksigner/internal/fault"
)

func TestAsset(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "asset")
	b.put(t, "seal+1.png", []byte("image"))
	b.put(t, "large.png", bytes.Repeat([]byte("x"), objects.MaxAsset+1))
	for _, tt := range []struct {
		location string
		want     string
		err      error
	}{
		{"s3://" + b.in + "/seal+1.png", "image", nil},
		{"s3://" + b.in + "/none.png", "", fault.SealImageMissing},
		{"s3://" + b.in + "-none/seal.png", "", fault.SealImageMissing},
		{"s3://" + b.in + "/large.png", "", fault.SealImageMissing},
		{"seal.png", "", fault.SealImageMissing},
	} {
		got, err := objects.NewAssets(b.Client, nil).Asset(t.Context(), tt.location)
		is(t, tt.location, err, tt.err)
		if string(got) != tt.want {
			t.Errorf("%s is %q, want %q", tt.location, got, tt.want)
		}
	}
}

// seen is a client whose requests go through a transport.
func seen(rt http.RoundTripper) *s3.Client {
	return client(func(o *s3.Options) { o.HTTPClient, o.RetryMaxAttempts = &http.Client{Transport: rt}, 1 })
}

func TestAssetIsKeptForAWhile(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "assetkept")
	b.put(t, "seal.png", []byte("image"))
	var asked atomic.Int32
	client := seen(intercept(func(*http.Request) *http.Response { asked.Add(1); return nil }))
	now := time.Now()
	assets := objects.NewAssets(client, func() time.Time { return now })
	for _, step := range []struct {
		after time.Duration
		asked int32
	}{{0, 1}, {objects.AssetKept - 1, 1}, {1, 2}} {
		now = now.Add(step.after)
		_, err := assets.Asset(t.Context(), "s3://"+b.in+"/seal.png")
		is(t, "Asset", err, nil)
		if asked.Load() != step.asked {
			t.Errorf("after %s the bucket was asked %d times, want %d", step.after, asked.Load(), step.asked)
		}
	}
}

func TestAssetWhileS3IsDown(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "assetdown")
	client := seen(intercept(func(r *http.Request) *http.Response { return refusal(r, 500, "InternalError") }))
	_, err := objects.NewAssets(client, nil).Asset(t.Context(), "s3://"+b.in+"/seal.png")
	uncoded(t, "Asset", err)
}
