package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/mail"
)

// options are what the arguments say.
type options struct {
	key     string // id, alias or ARN
	subject []byte // the distinguished name, in DER
	email   string
	check   string // file with the certificate and its chain, or "" for a request
	anchors string // file with roots, or ""
}

// parse reads the arguments. What it refuses it does not repeat: there are people's numbers in them.
func parse(args []string, stderr io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("csr", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: csr -key KEY -subject NAME [-email ADDRESS], or csr -key KEY -check FILE [-anchors FILE]")
		flags.PrintDefaults()
	}
	flags.StringVar(&o.key, "key", "", "the KMS `key`: its id, its alias (alias/name), or the ARN of either")
	subject := flags.String("subject", "", "the `name` of the request, like \"CN=NAME:CNPJ,O=ICP-Brasil,C=BR\"")
	flags.StringVar(&o.email, "email", "", "an e-mail `address` that the request asks for as an alternative name")
	flags.StringVar(&o.check, "check", "", "a `file` with the key's certificate and those of the authorities above it")
	flags.StringVar(&o.anchors, "anchors", "", "a `file` with the roots that the certificate must lead to")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("want flags alone, and not %d arguments after them; quote a name that has spaces", flags.NArg())
	}
	if *subject != "" {
		o.subject, err = parseSubject(*subject)
	}
	return o, errors.Join(err, o.fit(*subject != ""))
}

// fit refuses what does not go together.
func (o options) fit(named bool) error {
	switch {
	case o.key == "":
		return errors.New("-key is missing")
	case named == (o.check != ""):
		return errors.New("want either -subject, for a request, or -check, for a certificate")
	case o.email != "" && !named:
		return errors.New("-email goes with -subject")
	case o.anchors != "" && named:
		return errors.New("-anchors goes with -check")
	case o.email != "" && !isAddress(o.email):
		return errors.New("-email is no e-mail address")
	}
	return nil
}

// isAddress wants the address alone, without a name around it.
func isAddress(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s
}
