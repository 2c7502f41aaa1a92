package app

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"bulksigner/internal/api"
	"bulksigner/internal/aws/keys"
	"bulksigner/internal/aws/objects"
	"bulksigner/internal/aws/queue"
	"bulksigner/internal/aws/secrets"
	"bulksigner/internal/revocation"
	"bulksigner/internal/settings"
	"bulksigner/internal/workflow"
)

// Sign is the function that works through the work queue.
type Sign struct {
	workflow *workflow.Workflow
	queue    *queue.Queue
}

// NewSign builds the sign function.
func NewSign(ctx context.Context) (*Sign, error) {
	b, err := newBase(ctx)
	if err != nil {
		return nil, err
	}
	p := b.parts()
	trust, err := b.trust(ctx)
	if err != nil {
		return nil, err
	}
	p.Anchors, p.Trust = trust.Anchors, trust
	p.Assets = objects.NewAssets(b.objects, nil)
	store := secrets.New(secretsmanager.NewFromConfig(b.cloud))
	p.Keys = &sources{Keys: keys.New(b.kms(), store, b.objects, b.rate()), secrets: store, tokens: map[string]token{}}
	return &Sign{workflow.New(p), b.queue()}, nil
}

func (b *base) kms() *kms.Client {
	return kms.NewFromConfig(b.cloud, func(o *kms.Options) { o.HTTPClient = b.http })
}

// trust is what certificates are judged against.
func (b *base) trust(ctx context.Context) (t revocation.Trust, err error) {
	t.Checker, t.Tolerant = revocation.New(nil, nil, revocation.Options{}), b.settings.Signing.RevocationOutage == settings.OutageWarn
	t.Anchors, err = b.anchors(ctx)
	return t, err
}

// anchors are those of the settings, and those that the settings say lie in S3.
func (b *base) anchors(ctx context.Context) ([]*x509.Certificate, error) {
	all := slices.Clone(b.settings.Signing.Anchors)
	assets := objects.NewAssets(b.objects, nil)
	for _, location := range b.settings.Signing.AnchorObjects {
		content, err := assets.Asset(ctx, location)
		if err != nil {
			return nil, fmt.Errorf("read the trust anchors: %w", err)
		}
		found, err := settings.ParseAnchors(content)
		if err != nil {
			return nil, fmt.Errorf("read the trust anchors at %s: %w", location, err)
		}
		all = append(all, found...)
	}
	return all, nil
}

// rate is the share of a key's rate that one environment may use: as many environments as jobs at a time share it.
func (b *base) rate() float64 {
	return float64(b.settings.Signing.KeyRequestsPerSecond) / float64(b.settings.Pipeline.MaxConcurrency)
}

// Begin begins a batch of messages and returns what does one of them.
func (s *Sign) Begin(ctx context.Context) (func(ctx context.Context, body string) error, error) {
	b, err := s.workflow.Batch(ctx)
	if err != nil {
		return nil, err
	}
	return b.Work, nil
}

// Bounds of the time after which a failed message comes again; it doubles with each receive.
const firstAgain, lastAgain = 10 * time.Second, 15 * time.Minute

// Again makes a failed message come again sooner than a lost one, and returns when.
func (s *Sign) Again(ctx context.Context, receipt string, receives int) (time.Duration, error) {
	after := min(firstAgain<<min(max(receives-1, 0), 10), lastAgain)
	return after, s.queue.Again(ctx, receipt, after)
}

// NewRecover builds the recover function.
func NewRecover(ctx context.Context) (func(context.Context) error, error) {
	b, err := newBase(ctx)
	if err != nil {
		return nil, err
	}
	return workflow.New(b.parts()).Recover, nil
}

// NewAPI builds the REST API.
func NewAPI(ctx context.Context) (http.Handler, error) {
	b, err := newBase(ctx, settings.API)
	if err != nil {
		return nil, err
	}
	trust, err := b.trust(ctx)
	if err != nil {
		return nil, err
	}
	return api.New(api.Parts{
		Jobs: b.table, Profiles: b.table.Profiles(), Uploads: b.inputs, Outputs: b.outputs, Verifier: verifier{trust},
		Key: b.apiKey(), KeyHeader: b.settings.Auth.ApiKeyHeader, Upload: b.settings.Upload,
	}), nil
}

// apiKey reads the API key: from the settings, or from the secret that they name.
func (b *base) apiKey() func(context.Context) (string, error) {
	key := b.settings.Auth.ApiKey
	if !key.Stored() {
		return func(context.Context) (string, error) { return string(key), nil }
	}
	store := secrets.New(secretsmanager.NewFromConfig(b.cloud))
	return func(ctx context.Context) (string, error) {
		s, err := store.Get(ctx, string(key))
		if err != nil {
			return "", fmt.Errorf("read the API key: %w", err)
		}
		return s, nil
	}
}
