package pades

import (
	"crypto"
	"fmt"
	"strings"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pdf"
)

// Bits of Ff in a seed value dictionary: which of its entries a signer must follow (ISO 32000-1, table 234).
const (
	mustFilter    = 1 << 0
	mustSubFilter = 1 << 1
	mustReasons   = 1 << 3
	mustAttest    = 1 << 4
	mustRevInfo   = 1 << 5
	mustDigest    = 1 << 6
)

// checkSeed refuses to fill a field that demands another kind of signature.
func checkSeed(f *pdf.File, o Options, fieldDict pdf.Dict) error {
	d, _, err := f.Dict(fieldDict.Get("SV"))
	if err != nil {
		return err
	}
	flags, err := f.Int(d.Get("Ff"), 0)
	if err != nil {
		return err
	}
	if flags&(mustAttest|mustRevInfo) != 0 {
		return unfit(o, "what an AD-RB signature does not have")
	}
	digest := map[crypto.Hash]string{crypto.SHA256: "SHA256", crypto.SHA512: "SHA512"}[o.Hash]
	for _, demand := range []struct {
		flag     int64
		key, own string
	}{
		{mustFilter, "Filter", o.filter()},
		{mustSubFilter, "SubFilter", string(o.SubFilter)},
		{mustDigest, "DigestMethod", digest},
		{mustReasons, "Reasons", o.Reason},
	} {
		if flags&demand.flag == 0 {
			continue
		}
		allowed, err := contains(f, d.Get(demand.key), func(w string) bool { return w == demand.own })
		if err != nil {
			return err
		}
		if !allowed {
			return unfit(o, "another "+demand.key)
		}
	}
	return nil
}

func unfit(o Options, what string) error {
	return fault.New(fault.PDFField, "the field %s demands %s", shown(o.Field), what)
}

// lockReference turns the lock of a field into what the signature dictionary must say, so that readers enforce it.
func lockReference(f *pdf.File, root pdf.Ref, fieldDict pdf.Dict) (string, error) {
	d, _, err := f.Dict(fieldDict.Get("Lock"))
	if err != nil || d.Get("Action").IsNull() {
		return "", err
	}
	var params strings.Builder
	for _, key := range []string{"Action", "Fields"} {
		if v := d.Get(key); !v.IsNull() {
			fmt.Fprintf(&params, "/%s %s", key, v)
		}
	}
	return fmt.Sprintf("/Reference[<</Type/SigRef/TransformMethod/FieldMDP/Data %s"+
		"/TransformParams<</Type/TransformParams/V/1.2%s>>>>]\n", root, params.String()), nil
}
