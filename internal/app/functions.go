package app

import (
	"context"
	"net/http"

	"bulksigner/internal/api"
	"bulksigner/internal/aws/keys"
	"bulksigner/internal/aws/objects"
	"bulksigner/internal/settings"
	"bulksigner/internal/workflow"
)

// NewSign builds the function that works through the work queue.
func NewSign(ctx context.Context) (Batch, error) {
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
	store := b.newSecrets()
	p.Keys = noted{newSources(keys.New(b.kms(), store, b.objects, b.rate()), store), newEnds(b.table)}
	p.Signer = b.signer(signCalls)
	p.Cipher, p.MaxEncrypt = b.cipher(), b.settings.Encryption.MaxBytes
	w := workflow.New(p)
	begin := func(ctx context.Context) (work, error) {
		begun, err := w.Batch(ctx)
		return begun.Work, err
	}
	return b.endingBatch(thenOnce(batch(begin, b.queue()), w.ReadEnds)), nil
}

// NewRecover builds the function that finds what was lost or interrupted.
func NewRecover(ctx context.Context) (func(ctx context.Context) error, error) {
	b, err := newBase(ctx)
	if err != nil {
		return nil, err
	}
	return b.ending(workflow.New(b.parts()).Recover), nil
}

// NewPoll builds the function that asks about the documents that wait at Lacuna Signer.
func NewPoll(ctx context.Context) (func(ctx context.Context) error, error) {
	b, err := newBase(ctx)
	if err != nil {
		return nil, err
	}
	p := b.parts()
	p.Signer = b.signer(pollCalls)
	return b.ending(workflow.New(p).Poll), nil
}

// Sweep is the function that finds documents at Lacuna Signer: in all folders by the clock, and one for each check.
type Sweep struct {
	Tick   func(ctx context.Context) error
	Checks Batch
}

// NewSweep builds the sweep function.
func NewSweep(ctx context.Context) (Sweep, error) {
	b, err := newBase(ctx)
	if err != nil {
		return Sweep{}, err
	}
	queue, err := b.checks()
	if err != nil {
		return Sweep{}, err
	}
	p := b.parts()
	store := b.newSecrets()
	read := certificates{newSources(keys.New(nil, store, b.objects, 0), store), objects.NewAssets(b.objects, nil)}
	p.Keys = notedCertificates{read, newEnds(b.table)}
	p.Signer = b.signer(sweepCalls)
	w := workflow.New(p)
	begin := func(context.Context) (work, error) { return w.Check, nil }
	return Sweep{Tick: b.ending(w.Sweep), Checks: b.endingBatch(batch(begin, queue))}, nil
}

// NewAPI builds the REST API and the operators' pages, which ask it.
func NewAPI(ctx context.Context) (http.Handler, error) {
	b, err := newBase(ctx, settings.API)
	if err != nil {
		return nil, err
	}
	trust, err := b.trust(ctx)
	if err != nil {
		return nil, err
	}
	o := b.operator()
	key := b.secret("Auth:ApiKey", b.settings.Auth.ApiKey)
	rest := api.New(api.Parts{
		Jobs: b.table, Reservations: b.table, Names: b.table, Profiles: b.table.Profiles(), Uploads: b.inputs, Outputs: b.outputs,
		Journal: b.table, Timings: b.table, Figures: b.table, Limiter: b.table, Verifier: verifier{trust}, Operator: o, Keeper: o,
		Metrics: figures{b.table, o.Workflow}, Settings: b.settings, Key: asked(key),
	})
	return b.endingHTTP(b.console(rest, key)), nil
}

// NewNotify builds the receiver of Lacuna Signer's notifications. It has no key for Lacuna Signer and never calls it.
func NewNotify(ctx context.Context) (http.Handler, error) {
	b, err := newBase(ctx)
	if err != nil {
		return nil, err
	}
	queue, err := b.checks()
	if err != nil {
		return nil, err
	}
	return b.endingHTTP(api.NewNotifications(api.NotificationParts{
		Bindings: b.table, Dispatches: b.table, Bells: b.table, Checks: queue, Meter: b.meter, Limiter: b.table,
		RateLimiting: b.settings.RateLimiting,
		Secret:       asked(b.secret("Signer:WebhookSecret", b.settings.Signer.WebhookSecret)),
	})), nil
}
