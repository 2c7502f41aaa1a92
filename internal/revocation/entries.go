package revocation

import (
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"iter"
	"math/big"
	"slices"
	"time"

	"golang.org/x/crypto/cryptobyte"
	tag "golang.org/x/crypto/cryptobyte/asn1"
)

var errMalformed = errors.New("the revocation list is malformed")

var (
	oidReasonCode = asn1.ObjectIdentifier{2, 5, 29, 21}
	// known are extensions of an entry that may be critical: what they say is read, or changes nothing.
	known = []asn1.ObjectIdentifier{oidReasonCode, {2, 5, 29, 23}, {2, 5, 29, 24}} // reason, hold instruction, invalidity date
)

// split takes the entries out of a list and has crypto/x509 parse the rest. Bytes and signature in what it parsed are
// those of the whole list, so that a check of the signature covers the entries.
func split(der []byte) (head *x509.RevocationList, entries []byte, err error) {
	var list, tbs, fields, revoked cryptobyte.String
	input := cryptobyte.String(der)
	if !input.ReadASN1(&list, tag.SEQUENCE) || !input.Empty() || !list.ReadASN1Element(&tbs, tag.SEQUENCE) {
		return nil, nil, errMalformed
	}
	if body := tbs; !body.ReadASN1(&fields, tag.SEQUENCE) {
		return nil, nil, errMalformed
	}
	before := fields
	if !skipToEntries(&fields) {
		return nil, nil, errMalformed
	}
	before = before[:len(before)-len(fields)]
	if !fields.ReadOptionalASN1(&revoked, nil, tag.SEQUENCE) || !endsWell(fields, list) {
		return nil, nil, errMalformed
	}
	if head, err = parseHead(before, fields, list); err != nil {
		return nil, nil, err
	}
	head.Raw, head.RawTBSRevocationList = der, tbs
	return head, revoked, nil
}

// skipToEntries skips version, algorithm, issuer and times.
func skipToEntries(s *cryptobyte.String) bool {
	if !s.SkipASN1(tag.INTEGER) || !s.SkipASN1(tag.SEQUENCE) || !s.SkipASN1(tag.SEQUENCE) {
		return false
	}
	var unused time.Time
	return readTime(s, &unused) && (!atTime(*s) || readTime(s, &unused))
}

// endsWell reports whether nothing stands after the extensions nor after the signature: the parser would let it pass.
func endsWell(fields, list cryptobyte.String) bool {
	return fields.SkipOptionalASN1(tag.Tag(0).Constructed().ContextSpecific()) && fields.Empty() &&
		list.SkipASN1(tag.SEQUENCE) && list.SkipASN1(tag.BIT_STRING) && list.Empty()
}

// parseHead parses a list that is put together without entries.
func parseHead(before, after, signature []byte) (*x509.RevocationList, error) {
	var b cryptobyte.Builder
	b.AddASN1(tag.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1(tag.SEQUENCE, func(b *cryptobyte.Builder) {
			b.AddBytes(before)
			b.AddBytes(after)
		})
		b.AddBytes(signature)
	})
	der, err := b.Bytes()
	if err != nil {
		return nil, fmt.Errorf("take the entries out of the revocation list: %w", err)
	}
	head, err := x509.ParseRevocationList(der)
	if err != nil {
		return nil, fmt.Errorf("read the revocation list: %w", err)
	}
	return head, nil
}

// entry is one revoked certificate.
type entry struct {
	serial *big.Int // good until the next entry
	at     time.Time
	reason Reason
}

// eachEntry reads the entries one by one, without keeping any. It ends after the first error.
func eachEntry(der []byte) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		rest, serial := cryptobyte.String(der), new(big.Int)
		for !rest.Empty() {
			e, err := readEntry(&rest, serial)
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

func readEntry(s *cryptobyte.String, serial *big.Int) (entry, error) {
	e := entry{serial: serial}
	var fields, extensions cryptobyte.String
	if !s.ReadASN1(&fields, tag.SEQUENCE) || !fields.ReadASN1Integer(serial) || !readTime(&fields, &e.at) {
		return entry{}, errMalformed
	}
	if !fields.ReadOptionalASN1(&extensions, nil, tag.SEQUENCE) || !fields.Empty() {
		return entry{}, errMalformed
	}
	for !extensions.Empty() {
		if err := e.readExtension(&extensions); err != nil {
			return entry{}, err
		}
	}
	return e, nil
}

// readExtension takes the reason from an extension of an entry. One that is critical and unknown makes the list unusable:
// the standard says so, and in indirect lists such a one says whose certificates follow.
func (e *entry) readExtension(s *cryptobyte.String) error {
	var fields, value cryptobyte.String
	var id asn1.ObjectIdentifier
	var critical bool
	if !s.ReadASN1(&fields, tag.SEQUENCE) || !fields.ReadASN1ObjectIdentifier(&id) {
		return errMalformed
	}
	if fields.PeekASN1Tag(tag.BOOLEAN) && !fields.ReadASN1Boolean(&critical) {
		return errMalformed
	}
	if !fields.ReadASN1(&value, tag.OCTET_STRING) || !fields.Empty() {
		return errMalformed
	}
	if critical && !slices.ContainsFunc(known, id.Equal) {
		return fmt.Errorf("an entry of the list has an unknown critical extension %s", id)
	}
	if !id.Equal(oidReasonCode) {
		return nil
	}
	var reason int
	if !value.ReadASN1Enum(&reason) || !value.Empty() {
		return errMalformed
	}
	e.reason = Reason(reason)
	return nil
}

func atTime(s cryptobyte.String) bool {
	return s.PeekASN1Tag(tag.UTCTime) || s.PeekASN1Tag(tag.GeneralizedTime)
}

func readTime(s *cryptobyte.String, t *time.Time) bool {
	if s.PeekASN1Tag(tag.UTCTime) {
		return s.ReadASN1UTCTime(t)
	}
	return s.ReadASN1GeneralizedTime(t)
}
