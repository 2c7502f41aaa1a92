package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"bulksigner/internal/local"
	"bulksigner/internal/local/demo"
	"bulksigner/internal/local/ledger"
)

// ordinary is the size of an ordinary document, and scan that of one whose original part S3 copies by itself.
const (
	ordinary = 100_000
	scan     = 12 << 20
)

// way is how documents of a method are brought.
type way struct {
	name  string
	key   func(n int) string // in the input bucket; of a document at Lacuna Signer its name
	body  []byte
	there bool // it is created at Lacuna Signer
	many  int
	kept  int // how many times its size is stored in the end: input and output
}

func ways() []way {
	in := func(folder, ext string) func(int) string {
		return func(n int) string { return fmt.Sprintf("%s/documento %06d.%s", folder, n, ext) }
	}
	paper := demo.Paper(ordinary, 1)
	return []way{
		{name: "PDF", key: in("contracts", "pdf"), body: paper, many: documents, kept: 2},
		{name: "XML", key: in("inbox", "xml"), body: invoice(ordinary), many: documents, kept: 2},
		{name: "CMS, detached", key: in("detached", "bin"), body: demo.Noise(ordinary, 2), many: documents, kept: 2},
		{name: "PDF of 12 MiB", key: in("contracts", "pdf"), body: demo.Paper(scan, 3), many: documents / 5, kept: 2},
		{name: "LacunaSigner", key: in("hr", "pdf"), body: paper, many: documents, kept: 2},
		{name: "SignerFolder", key: func(n int) string { return fmt.Sprintf("Documento %06d", n) }, body: paper, there: true, many: documents},
	}
}

// invoice is an XML document of about so many bytes.
func invoice(size int) []byte {
	const item = "<det><prod>parafuso</prod><q>1</q></det>\n"
	return []byte("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<nota>\n" + strings.Repeat(item, size/len(item)) + "</nota>\n")
}

// methods counts each way by itself.
func (c *count) methods(ctx context.Context) (all []method, err error) {
	for _, w := range ways() {
		fmt.Fprintf(c.out, "%d documents: %s ...\n", w.many, w.name)
		if err := c.bring(ctx, w, warm); err != nil {
			return nil, err
		}
		each, err := c.each(ctx, w)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		all = append(all, method{Name: w.name, Each: each, Bytes: len(w.body), Out: w.kept * len(w.body)})
	}
	return all, nil
}

// each is what one document takes: what was asked for meanwhile, without what is asked for in as long a time without any.
func (c *count) each(ctx context.Context, w way) (accounts, error) {
	idle, err := c.background(ctx)
	if err != nil {
		return nil, err
	}
	if n := idle.total(); n[ledger.TableRequests] > 0 || n[ledger.Invocation] > 0 {
		return nil, fmt.Errorf("the service does not come to rest: %v", idle)
	}
	before, err := c.snapshot()
	if err != nil {
		return nil, err
	}
	if err := c.bring(ctx, w, w.many); err != nil {
		return nil, err
	}
	after, err := c.snapshot()
	if err != nil {
		return nil, err
	}
	each := after.since(before).scaled(1 / float64(w.many))
	if !w.there {
		each.add("sender", ledger.S3Put, 1) // whoever brings a file
	}
	return each, nil
}

// bring brings documents, and waits until all of them have ended and nothing is under way.
func (c *count) bring(ctx context.Context, w way, many int) error {
	open := map[string]bool{}
	for range many {
		c.made++
		key := w.key(c.made)
		open[key] = true
		if err := c.one(ctx, w, key); err != nil {
			return err
		}
		if err := pause(ctx, apart); err != nil {
			return err
		}
	}
	if err := c.until(ctx, func() (bool, error) { return c.ended(ctx, open) }); err != nil {
		return fmt.Errorf("%d documents have not ended: %w", len(open), err)
	}
	if err := c.until(ctx, func() (bool, error) { return c.empty(ctx) }); err != nil {
		return err
	}
	return pause(ctx, quiet) // notifications of what has ended
}

func (c *count) one(ctx context.Context, w way, key string) error {
	if w.there {
		_, err := c.Signer.Create(key, key+".pdf", "application/pdf", w.body, local.Holder())
		return err
	}
	_, err := c.Objects().PutObject(ctx, &s3.PutObjectInput{Bucket: &c.Input, Key: &key, Body: bytes.NewReader(w.body)})
	return err
}

// ended takes what has ended out of what is open. All of it must end well.
func (c *count) ended(ctx context.Context, open map[string]bool) (bool, error) {
	rows, err := c.client.Jobs(ctx)
	if err != nil {
		return false, err
	}
	for _, r := range rows {
		for _, key := range []string{r.OriginalPath, r.DocumentName} {
			if !open[key] {
				continue
			}
			if r.Status == "Failed" || r.Status == "Canceled" {
				return false, fmt.Errorf("%s ended %s %s", key, r.Status, r.ErrorCode)
			}
			if r.Status == "Completed" {
				delete(open, key)
			}
		}
	}
	return len(open) == 0, nil
}

// empty reports whether no queue holds a message.
func (c *count) empty(ctx context.Context) (bool, error) {
	depths, err := c.Depths(ctx)
	for _, d := range depths {
		if d.Waiting+d.InHand > 0 {
			return false, err
		}
	}
	return err == nil, err
}
