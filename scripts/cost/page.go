package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"bulksigner/internal/local/ledger"
)

// columns are what the table of requests shows, in words.
var columns = []struct {
	title string
	items []ledger.Item
}{
	{"S3 GET", []ledger.Item{ledger.S3Get}},
	{"S3 HEAD", []ledger.Item{ledger.S3Head}},
	{"S3 PUT", []ledger.Item{ledger.S3Put}},
	{"S3 copy", []ledger.Item{ledger.S3Copy}},
	{"S3 DELETE", []ledger.Item{ledger.S3Delete}},
	{"S3 LIST", []ledger.Item{ledger.S3List}},
	{"KMS Sign", []ledger.Item{ledger.KMSRSA, ledger.KMSECC}},
	{"KMS GetPublicKey", []ledger.Item{ledger.KMSPublicKey}},
	{"SQS send", []ledger.Item{ledger.SQSSend}},
	{"SQS receive", []ledger.Item{ledger.SQSReceive}},
	{"SQS delete", []ledger.Item{ledger.SQSDelete}},
	{"SQS other", []ledger.Item{ledger.SQSVisibility, ledger.SQSOther}},
	{"DynamoDB requests", []ledger.Item{ledger.TableRequests}},
	{"DynamoDB write units", []ledger.Item{ledger.TableWrite}},
	{"DynamoDB read units", []ledger.Item{ledger.TableRead}},
	{"Secrets Manager", []ledger.Item{ledger.Secret}},
	{"Lambda invocations", []ledger.Item{ledger.Invocation}},
	{"calls of Lacuna Signer", []ledger.Item{signerCalls}},
}

func sum(a amounts, items []ledger.Item) (n float64) {
	for _, i := range items {
		n += a[i]
	}
	return n
}

// number writes an amount as short as it may be.
func number(n float64) string {
	text := fmt.Sprintf("%.2f", n)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// table is what one document takes, a column for each method.
func (c counts) table() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "| per document | %s |\n| --- |%s\n", strings.Join(names(c.Methods), " | "), strings.Repeat(" ---: |", len(c.Methods)))
	for _, column := range columns {
		row, any := []string{column.title}, 0.0
		for _, m := range c.Methods {
			n := sum(m.Each.total(), column.items)
			any += n
			row = append(row, number(n))
		}
		if any > 0 {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		}
	}
	return b.Bytes()
}

func names(all []method) (out []string) {
	for _, m := range all {
		out = append(out, m.Name)
	}
	return out
}

// text is what make cost prints.
func (b bill) text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "Prices of %s as of %s; requests counted %s.\n\n", b.Region, b.AsOf, b.Counted)
	out.Write(b.table())
	out.WriteString("\n")
	out.WriteString(b.costs())
	out.WriteString("\n")
	out.WriteString(b.rest())
	return out.String()
}

// services are those of which a document takes something, in the order of the alphabet.
func (b bill) services() []string {
	all := map[string]bool{}
	for _, m := range b.methods {
		for name, usd := range m.services {
			if usd > 0 {
				all[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// costs is the price of a thousand documents, by service.
func (b bill) costs() string {
	var out strings.Builder
	fmt.Fprintf(&out, "| USD for 1 000 documents | %s |\n| --- |%s\n", strings.Join(names(b.Methods), " | "), strings.Repeat(" ---: |", len(b.Methods)))
	for _, service := range b.services() {
		fmt.Fprintf(&out, "| %s |", service)
		for _, m := range b.methods {
			fmt.Fprintf(&out, " %.4f |", m.services[service])
		}
		out.WriteString("\n")
	}
	out.WriteString("| **together** |")
	for _, m := range b.methods {
		fmt.Fprintf(&out, " **%.4f** |", m.total)
	}
	out.WriteString("\n| to keep them, a month |")
	for _, m := range b.methods {
		p, _ := b.price("s3.gb-months")
		fmt.Fprintf(&out, " %.4f |", thousand*float64(m.Out)/gib*p.USD/p.Per)
	}
	out.WriteString("\n")
	return out.String()
}

// rest is what the service costs a month at rest.
func (b bill) rest() string {
	var out strings.Builder
	out.WriteString("| a month without a document | how many | unit | USD |\n| --- | ---: | --- | ---: |\n")
	total := 0.0
	for _, l := range b.idle {
		p, _ := b.price(l.item)
		fmt.Fprintf(&out, "| %s | %s | %s: %s | %.2f |\n", l.says, grouped(l.amount), p.Service, p.Unit, l.usd)
		total += l.usd
	}
	fmt.Fprintf(&out, "| **together** | | | **%.2f** |\n", total)
	return out.String()
}

// grouped writes a large number in groups of three.
func grouped(n float64) string {
	if n < 1000 {
		return number(n)
	}
	digits := fmt.Sprintf("%.0f", n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + " " + digits[i:]
	}
	return digits
}

// extras are what a deployment may have besides, by the hour.
var extras = []struct {
	says string
	item ledger.Item
	n    float64
}{
	{"four interface endpoints in two zones (SQS, KMS, Secrets Manager, logs)", "vpc.endpoint-hours", 4 * 2 * hours},
	{"one NAT gateway, without what goes through it", "vpc.nat-hours", hours},
	{"two HSMs of CloudHSM", "hsm.hours", 2 * hours},
	{"one key more", "kms.key-months", 1},
}

// page is docs/cost.md.
func (b bill) page() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, pageHead, b.Region, b.AsOf, b.Note)
	fmt.Fprintf(&out, "## 1 000 documents\n\n%s\n%s\n", b.costs(), costWords)
	fmt.Fprintf(&out, "## A month at rest\n\n%s\n%s\n", b.rest(), restWords)
	out.WriteString("| what a deployment may have besides | USD a month |\n| --- | ---: |\n")
	for _, x := range extras {
		p, _ := b.price(x.item)
		fmt.Fprintf(&out, "| %s | %.2f |\n", x.says, x.n*p.USD/p.Per)
	}
	out.WriteString("\n## The prices\n\n| service | unit | USD | for | source |\n| --- | --- | ---: | ---: | --- |\n")
	for _, p := range b.Prices {
		fmt.Fprintf(&out, "| %s | %s | %g | %s | %s |\n", p.Service, p.Unit, p.USD, grouped(p.Per), p.Source)
	}
	return out.Bytes()
}
