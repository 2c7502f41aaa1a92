package app

import (
	"context"
	"crypto/x509"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/kms"

	"bulksigner/internal/aws/objects"
	"bulksigner/internal/revocation"
	"bulksigner/internal/settings"
)

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
