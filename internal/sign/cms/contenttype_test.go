package cms_test

import (
	"bytes"
	"crypto"
	"encoding/asn1"
	"slices"
	"testing"

	"bulksigner/internal/sign/cms"
)

func TestOver(t *testing.T) {
	t.Parallel()
	plain, err := cms.New(params(t, world.RSA, crypto.SHA256))
	if err != nil {
		t.Fatal(err)
	}
	other, err := plain.Over(cms.OIDTSTInfo)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		s    *cms.Signer
		want asn1.ObjectIdentifier
	}{{other, cms.OIDTSTInfo}, {plain, cms.OIDData}} {
		made, err := tt.s.SignerInfo(world.RSA.Key, make([]byte, 32))
		if err != nil {
			t.Fatal(err)
		}
		der, err := asn1.Marshal(made)
		if err != nil {
			t.Fatal(err)
		}
		var info cms.SignerInfo
		mustUnmarshal(t, der, &info)
		var encoded [][]byte
		for _, a := range attributes(t, info) {
			der, err := asn1.Marshal(a)
			if err != nil {
				t.Fatal(err)
			}
			encoded = append(encoded, der)
			var got asn1.ObjectIdentifier
			if a.Type.Equal(cms.OIDContentType) {
				if mustUnmarshal(t, a.Values[0].FullBytes, &got); !got.Equal(tt.want) {
					t.Errorf("contentType = %s, want %s", got, tt.want)
				}
			}
		}
		if len(encoded) != 4 || !slices.IsSortedFunc(encoded, bytes.Compare) {
			t.Errorf("there are %d attributes, want four in the order of DER", len(encoded))
		}
	}
	if same, err := plain.Over(cms.OIDData); err != nil || same == nil {
		t.Errorf("Over(data) = %v, want the same signer", err)
	}
}
