package objects

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// Bounds of an asset: its size, for how long a copy is used, and how many copies are kept.
const (
	MaxAsset   = 1 << 20
	AssetKept  = 15 * time.Minute
	assetsKept = 32
)

// Assets reads small objects that profiles and settings name by an s3:// location, and keeps them for a while.
type Assets struct {
	client *s3.Client
	now    func() time.Time

	mu   sync.Mutex
	kept map[string]asset
}

type asset struct {
	content []byte
	read    time.Time
}

// NewAssets makes Assets. now is time.Now if it is nil.
func NewAssets(client *s3.Client, now func() time.Time) *Assets {
	if now == nil {
		now = time.Now
	}
	return &Assets{client: client, now: now, kept: map[string]asset{}}
}

// Asset returns what lies at a location. It returns fault.SealImageMissing if nothing is there, if it may not be read, or
// if it has more than MaxAsset bytes. The bytes are not to be changed.
func (a *Assets) Asset(ctx context.Context, location string) ([]byte, error) {
	if content, ok := a.held(location); ok {
		return content, nil
	}
	bucket, key, ok := profile.ObjectAt(location)
	if !ok {
		return nil, fault.New(fault.SealImageMissing, "%q is no s3:// location", location)
	}
	out, err := a.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	if missing(err) || codeOf(err) == "NoSuchBucket" || codeOf(err) == "AccessDenied" {
		return nil, fault.Wrap(fault.SealImageMissing, quiet(err), "there is nothing to be read at %s", location)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", location, err)
	}
	defer out.Body.Close()
	content, err := io.ReadAll(io.LimitReader(out.Body, MaxAsset+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", location, err)
	}
	if len(content) > MaxAsset {
		return nil, fault.New(fault.SealImageMissing, "what lies at %s has more than %d bytes", location, MaxAsset)
	}
	a.hold(location, content)
	return content, nil
}

func (a *Assets) held(location string) ([]byte, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	k, ok := a.kept[location]
	return k.content, ok && a.now().Sub(k.read) < AssetKept
}

func (a *Assets) hold(location string, content []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.kept) >= assetsKept {
		clear(a.kept) // profiles have few images; this is no cache that needs an order
	}
	a.kept[location] = asset{content, a.now()}
}
