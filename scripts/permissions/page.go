package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"bulksigner/internal/local/emulator"
	"bulksigner/internal/local/ledger"
	"bulksigner/scripts/permissions/synth"
)

// places are resources in words.
var places = []struct{ resource, words string }{
	{made["Table"], "the table"},
	{made["Table"] + "/index/byStatus", "index `byStatus`"},
	{made["Table"] + "/index/byDay", "index `byDay`"},
	{made["Work"], "queue `work`"},
	{made["DeadLetters"], "dead letters of `work`"},
	{made["Checks"], "queue `checks`"},
	{made["DeadChecks"], "dead letters of `checks`"},
	{"{DeadTicks}", "dead ticks"},
	{"arn:aws:s3:::bulksigner-input", "the input bucket"},
	{"arn:aws:s3:::bulksigner-input/uploads/*", "uploads in the input bucket"},
	{"arn:aws:s3:::bulksigner-input/*", "objects of the input bucket"},
	{"arn:aws:s3:::bulksigner-output", "the output bucket"},
	{"arn:aws:s3:::bulksigner-output/*", "objects of the output bucket"},
	{"arn:aws:s3:::" + materials, "the bucket of what the settings name"},
	{ownARN("kms", "key/*"), "signing keys of the settings"},
}

// place says in words what a resource is.
func place(resource string) string {
	for _, p := range places {
		if p.resource == resource {
			return p.words
		}
	}
	switch {
	case strings.HasPrefix(resource, "arn:aws:s3:::"+materials+"/"):
		return "`" + strings.TrimPrefix(resource, "arn:aws:s3:::"+materials+"/") + "` of the settings"
	case strings.HasPrefix(resource, "arn:aws:secretsmanager:"):
		return secretWords(resource)
	case strings.HasSuffix(resource, "Logs}"):
		return "its log group"
	}
	return strings.ReplaceAll(resource, emulator.Account, "ACCOUNT")
}

// secretWords is a secret by its name, without the random end of its ARN, which each run makes anew.
func secretWords(arn string) string {
	name := arn[strings.LastIndexByte(arn, ':')+1:]
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		name = name[:i]
	}
	return "secret `" + name + "`"
}

// write prints the comparison with how often each grant was used.
func (c comparison) write(out io.Writer, asked map[ledger.Right]int) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, l := range c.used {
		fmt.Fprintf(w, "%s\t%s\t%s\tasked %d times\n", l.function, l.action, place(l.resource), l.times)
	}
	for _, l := range c.excepted {
		fmt.Fprintf(w, "%s\t%s\t%s\tnot asked: %s\n", l.function, l.action, place(l.resource), l.reason)
	}
	w.Flush() // what cannot be printed is no finding
	n := 0
	for _, times := range asked {
		n += times
	}
	fmt.Fprintf(out, "%d needs of rights seen; %d grants used, %d not used for a reason, %d unused, %d missing\n",
		n, len(c.used), len(c.excepted), len(c.unused), len(c.missing))
}

const head = `# What the functions may do, and what they do

Written by ` + "`make permissions`" + `, which fails where this page is not what it finds; ` + "`make permissions WRITE=1`" + ` writes it anew.

It runs the whole service on one machine with a ledger before the emulated AWS services. Each function signs its requests
with an access key id that names it, so that it is known who asks; a request is counted under the actions that IAM asks for:
one for each part of a transaction, one more for the source of a copy, and the right to list where an absent object is to be
told from a forbidden one. What Lambda does with a function's role to take its messages counts as the function's. The scenario
is that of ` + "`make run`" + `, and beside it every route of the API, files whose event is lost, messages that cannot be read, a
process that is killed in the middle of an upload, and its recovery. Then the deployment is synthesized with the settings of
that run, all three methods and the webhook among them, and each statement of each role is compared with what was asked for.

The emulators check no permissions: that nothing is missing is what this comparison shows, not what a refusal would have. It
cannot show conditions (of the keys' aliases and of the signing algorithms), nor policies of buckets, queues and keys.

`

// page is the comparison as a page of the documentation. It has no counts, which differ from run to run.
func (c comparison) page() []byte {
	var b bytes.Buffer
	b.WriteString(head)
	for _, f := range synth.Functions {
		fmt.Fprintf(&b, "## `%s`\n\n| it may, and does | on |\n| --- | --- |\n", f)
		c.table(&b, f)
		b.WriteString("\n")
	}
	reasons(&b, "Granted and not asked for", "why it stands", c.excepted)
	b.WriteString("\n")
	reasons(&b, "Asked for and not granted", "why not", c.withheld)
	return b.Bytes()
}

// reasons writes what differs, and why. Functions that have the same are on one line.
func reasons(b *bytes.Buffer, title, why string, lines []line) {
	fmt.Fprintf(b, "## %s\n\n| action | on | functions | %s |\n| --- | --- | --- | --- |\n", title, why)
	var rows []string
	who := map[string][]string{}
	for _, l := range lines {
		row := fmt.Sprintf("| `%s` | %s | %%s | %s |\n", l.action, place(l.resource), l.reason)
		if who[row] == nil {
			rows = append(rows, row)
		}
		who[row] = append(who[row], "`"+l.function+"`")
	}
	for _, row := range rows {
		fmt.Fprintf(b, row, strings.Join(who[row], ", "))
	}
}

// table writes what a function uses, with the places of one action on one line.
func (c comparison) table(b *bytes.Buffer, function string) {
	var actions []string
	on := map[string][]string{}
	for _, l := range c.used {
		if l.function != function {
			continue
		}
		if on[l.action] == nil {
			actions = append(actions, l.action)
		}
		on[l.action] = append(on[l.action], place(l.resource))
	}
	for _, a := range actions {
		fmt.Fprintf(b, "| `%s` | %s |\n", a, strings.Join(on[a], ", "))
	}
}
