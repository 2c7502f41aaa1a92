// Package said reads what outside tools print, and nothing else: no tool is run here.
//
// Several of them end with success whatever they found, so that their words are all there is to go by. What is not
// understood is never taken for approval.
package said

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Signature is what pdfsig says of one signature.
type Signature struct {
	Field, Type, Digest   string
	Valid, Trusted, Whole bool
	Ranges                [3]int64 // [0 - first], [second - third]
}

// PDFSig reads the report of pdfsig. Fields without a signature are left out.
func PDFSig(text string) []Signature {
	var found []Signature
	for _, block := range strings.Split(text, "\nSignature #")[1:] {
		if !strings.Contains(block, "The signature form field is not signed.") {
			found = append(found, signature(block))
		}
	}
	return found
}

var ranges = regexp.MustCompile(`Signed Ranges: \[0 - (\d+)\], \[(\d+) - (\d+)\]`)

func signature(block string) (s Signature) {
	for line := range strings.Lines(block) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "- "), ": ")
		switch name {
		case "Signature Field Name":
			s.Field = value
		case "Signature Type":
			s.Type = value
		case "Signing Hash Algorithm":
			s.Digest = value // as crypto.Hash writes it
		case "Signature Validation":
			s.Valid = value == "Signature is Valid."
		case "Certificate Validation":
			s.Trusted = value == "Certificate is Trusted."
		case "Total document signed":
			s.Whole = true
		}
	}
	if m := ranges.FindStringSubmatch(block); m != nil {
		for i := range s.Ranges {
			s.Ranges[i], _ = strconv.ParseInt(m[i+1], 10, 64) // too large a number ends at the largest, which no file has
		}
	}
	return s
}

// Opinions counts what mutool says of the signatures of a document.
type Opinions struct {
	Unchanged int // valid, and nothing follows
	Edited    int // valid, with a revision after it
	Other     int // anything else that is said of a signature
}

// MuTool reads the report of mutool sign -v. What it says of certificates is left out: it knows no anchors but its own.
func MuTool(text string) (o Opinions) {
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case line == "The document is unchanged since signing.":
			o.Unchanged++
		case line == "The signature is valid but there have been edits since signing.":
			o.Edited++
		case strings.HasPrefix(line, "Digest error:"), strings.HasPrefix(line, "error:"), strings.HasPrefix(line, "Signature could not"):
			o.Other++
		}
	}
	return o
}

// QPDF reads the complaints of qpdf --check about a file, without the file's name. An empty report is a complaint too.
func QPDF(text, file string) []string {
	var complaints []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, "WARNING") || strings.Contains(line, "ERROR") || strings.Contains(line, file+" (") {
			complaints = append(complaints, strings.ReplaceAll(strings.TrimSpace(line), file, "the file"))
		}
	}
	if len(complaints) == 0 && !strings.Contains(text, "No syntax or stream encoding errors found") {
		complaints = append(complaints, "nothing was found out")
	}
	return complaints
}

// News are the complaints that were not there before.
func News(before, after []string) []string {
	return slices.DeleteFunc(slices.Clone(after), func(c string) bool { return slices.Contains(before, c) })
}

var references = regexp.MustCompile(`SignedInfo References \(ok/all\): (\d+)/(\d+)`)

// approved matches the line with the verdict; xmlsec1 has a longer one since version 1.3.
var approved = regexp.MustCompile(`(?m)^(?:Verification status: )?OK$`)

// XMLSec reads the report of xmlsec1 --verify: the signature's maths, and that two references are signed, the content
// and the signer's properties.
func XMLSec(text string) error {
	m := references.FindStringSubmatch(text)
	switch {
	case m == nil:
		return fmt.Errorf("no references are named: %s", First(text))
	case !approved.MatchString(text):
		return fmt.Errorf("not OK, with %s/%s references", m[1], m[2])
	case m[1] != "2" || m[2] != "2":
		return fmt.Errorf("%s/%s references, want 2/2", m[1], m[2])
	}
	return nil
}

// Java reads the report of the judge on the Java platform: for each file, whether all of its signatures are valid. Files
// that it did not come to are left out.
func Java(text string) map[string]bool {
	valid := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		head, good := strings.CutSuffix(line, ": valid")
		if !good {
			var bad bool
			if head, bad = strings.CutSuffix(line, ": INVALID"); !bad {
				continue
			}
		}
		before, known := valid[file(head)]
		valid[file(head)] = good && (before || !known) // one invalid signature decides
	}
	return valid
}

// file is what stands before the identifier of a signature.
func file(head string) string {
	if i := strings.LastIndexByte(head, ' '); i >= 0 {
		return head[:i]
	}
	return head
}

// First is the first line of a text that says something, cut short.
func First(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line[:min(len(line), 200)]
		}
	}
	return "nothing"
}
