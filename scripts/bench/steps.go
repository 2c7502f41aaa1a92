package main

import (
	"context"
	"io"
	"time"

	"bulksigner/scripts/bench/library"
	"bulksigner/scripts/bench/paper"
	"bulksigner/scripts/bench/race"
	"bulksigner/scripts/bench/tool"
)

// The documents' sizes.
const (
	kB = 1000
	MB = 1000 * kB

	largestXML = 5<<20 - 10*kB // bulksigner takes 5 MiB, and the invoice ends a little behind its size
)

// Names that goals refer to.
const (
	nameOurs    = "bulksigner"
	namePDFSign = "digitorus/pdfsign"
	nameNode    = "@signpdf"
	nameFloor   = "sha256sum and cp"
	nameOpenSSL = "openssl cms"
)

// steps are all that is measured.
func (b *bench) steps() []step {
	return []step{
		{"PDF, 100 kB", true, b.smallPDF},
		{"PDF, 100 kB, the key answering at once", false, b.withoutKey},
		{"PDF, 10 MB", true, b.mediumPDF},
		{"PDF, 100 MB", true, b.largePDF},
		{"PDF, 100 MB, memory", true, b.memory},
		{"CMS with 100 MB inside", false, b.cms},
		{"XML, NF-e of 20 kB, one element signed", false, b.invoice},
		{"XML, 5 MB, the whole signed", false, b.largeXML},
	}
}

func (b *bench) smallPDF(ctx context.Context, title string, w io.Writer) error {
	key := race.Runner{Name: "one RSA-2048 signature", How: "nothing else", Run: library.KeyAlone(b.id)}
	return b.hold(ctx, w, race.Race{
		Title: title, Rounds: 41, Times: 20, Runners: append(b.pdfRunners(2), key),
		Goals: []race.Goal{race.Faster(namePDFSign, 1.4)},
	}, map[string]io.WriterTo{"pdf": paper.PDF(100 * kB)})
}

// withoutKey is what matters where the key is far away, as in KMS: this machine's part of the work.
func (b *bench) withoutKey(ctx context.Context, title string, w io.Writer) error {
	in, out, id := b.file("pdf"), b.file("out"), library.Remembered(b.id)
	runner := func(name string, s library.Signer) race.Runner {
		return race.Runner{Name: name, How: "in one process", Run: library.Timed(s, id, in, out), Check: b.check(out)}
	}
	return b.hold(ctx, w, race.Race{
		Title: title, Rounds: 41, Times: 50,
		Runners: []race.Runner{
			runner(nameOurs, library.PAdES), runner(namePDFSign, library.PDFSign),
			{Name: "reading, hashing and writing alone", How: "in one process", Run: library.Timed(library.Pass, id, in, out)},
		},
		Goals: []race.Goal{race.Below(nameOurs, 500*time.Microsecond)},
	}, map[string]io.WriterTo{"pdf": paper.PDF(100 * kB)})
}

func (b *bench) mediumPDF(ctx context.Context, title string, w io.Writer) error {
	return b.hold(ctx, w, race.Race{Title: title, Rounds: 15, Times: 3, Runners: b.pdfRunners(1)},
		map[string]io.WriterTo{"pdf": paper.PDF(10 * MB)})
}

func (b *bench) largePDF(ctx context.Context, title string, w io.Writer) error {
	in, out := b.file("pdf"), b.file("out")
	floor := func(name, debianPackage string, digest tool.Command) race.Runner {
		return race.Runner{
			Name: name, How: "two processes", Run: tool.Timed(digest, tool.Copy(in, out)), Missing: tool.Missing(digest[0], debianPackage),
		}
	}
	return b.hold(ctx, w, race.Race{
		Title: title, Rounds: 9, Times: 1,
		Runners: append(b.pdfRunners(1),
			floor(nameFloor, "coreutils", tool.SHA256Sum(in)), floor("openssl dgst and cp", "openssl", tool.OpenSSLDigest(in))),
		Goals: []race.Goal{race.Within(nameFloor, 1.5)},
	}, map[string]io.WriterTo{"pdf": paper.PDF(100 * MB)})
}

// pdfRunners are those who sign PDFs. The slow one may do so less often.
func (b *bench) pdfRunners(nodeTimes int) []race.Runner {
	in, out := b.file("pdf"), b.file("out")
	node := race.Runner{Name: nameNode, How: "in one process, without its start", Times: nodeTimes, Missing: b.noNode, Check: b.check(out)}
	if b.node != nil {
		node.Run = b.node.Timed(in, out)
	}
	return []race.Runner{b.inProcess(nameOurs, library.PAdES, "pdf"), b.inProcess(namePDFSign, library.PDFSign, "pdf"), node}
}

func (b *bench) cms(ctx context.Context, title string, w io.Writer) error {
	in, out := b.file("content"), b.file("out")
	openssl := func(name string, more ...string) race.Runner {
		return race.Runner{
			Name: name, How: "whole process", Missing: tool.Missing("openssl", "openssl"),
			Run: tool.Timed(tool.OpenSSL(b.id, in, out, more...)), Check: b.check(out),
		}
	}
	return b.hold(ctx, w, race.Race{
		Title: title, Rounds: 15, Times: 1,
		Runners: []race.Runner{
			b.ownProcess(nameOurs, "cades", "content"), openssl(nameOpenSSL), openssl(nameOpenSSL+" -stream", "-stream"),
			b.inProcess(nameOurs+", library", library.CAdES, "content"), b.inProcess("smallstep/pkcs7", library.PKCS7, "content"),
		},
		Goals: []race.Goal{race.Faster(nameOpenSSL, 1.3), race.Faster(nameOpenSSL+" -stream", 1.3)},
	}, map[string]io.WriterTo{"content": paper.Noise(100 * MB)})
}

func (b *bench) invoice(ctx context.Context, title string, w io.Writer) error {
	return b.hold(ctx, w, race.Race{Title: title, Rounds: 15, Times: 50, Runners: b.xmlRunners("xades-invoice", library.XAdESOfInvoice)},
		xmlDocuments(20*kB, "#"+paper.InvoiceID))
}

func (b *bench) largeXML(ctx context.Context, title string, w io.Writer) error {
	return b.hold(ctx, w, race.Race{Title: title, Rounds: 9, Times: 2, Runners: b.xmlRunners("xades", library.XAdES)},
		xmlDocuments(largestXML, ""))
}

// xmlDocuments are the document, and the same with what xmlsec1 has to find in it.
func xmlDocuments(size int64, uri string) map[string]io.WriterTo {
	return map[string]io.WriterTo{
		"xml":      paper.Invoice{Size: size},
		"template": paper.Invoice{Size: size, Signature: tool.Template(uri)},
	}
}

// xmlRunners compare like with like: signing again and again without the start, and whole processes.
func (b *bench) xmlRunners(signer string, s library.Signer) []race.Runner {
	in, out, missing := b.file("template"), b.file("out"), tool.Missing("xmlsec1", "xmlsec1")
	again := race.Runner{Name: "xmlsec1 --repeat", How: "in one process, without its start and without writing"}
	again.Run, again.Check, again.Missing = tool.XMLSecRepeated(b.id, in, out), b.check(out), missing
	each := race.Runner{Name: "xmlsec1, a process for each", How: "whole process", Times: 5}
	each.Run, each.Check, each.Missing = tool.Timed(tool.XMLSec(b.id, in, out)), b.check(out), missing
	own := b.ownProcess(nameOurs+", a process for each", signer, "xml")
	own.Times = 5
	return []race.Runner{b.inProcess(nameOurs, s, "xml"), again, own, each}
}
