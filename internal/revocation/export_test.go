package revocation

import (
	"bytes"
	"crypto/x509"
	"math/big"
	"net/netip"
	"time"

	"golang.org/x/crypto/ocsp"
)

// Limits that tests stand on either side of.
const (
	MaxList    = maxList
	MaxAnswer  = maxAnswer
	MaxChain   = maxChain
	MaxSources = maxSources
	Skew       = skew
	Outage     = outage
)

// IsPublic lets tests judge addresses that no test can dial.
func IsPublic(a netip.Addr) bool { return isPublic(a) }

// Entry is an entry of a list, as it was read.
type Entry struct {
	Serial string
	At     time.Time
	Reason Reason
}

// ParseList reads a list without checking whose it is.
func ParseList(data []byte) (*x509.RevocationList, []Entry, error) {
	l, err := parseList(data)
	if err != nil {
		return nil, nil, err
	}
	var list []Entry
	for e, err := range eachEntry(l.entries) {
		if err != nil {
			return nil, nil, err
		}
		list = append(list, Entry{e.serial.Text(16), e.at, e.reason})
	}
	return l.head, list, nil
}

// LooksUp says what a list holds about a serial number, without checking whose it is.
func LooksUp(data []byte, serial *big.Int) (Status, error) {
	l, err := parseList(data)
	if err != nil {
		return Status{}, err
	}
	return l.about(&x509.Certificate{SerialNumber: serial})
}

// ReadAnswer reads an OCSP answer without checking who signed it.
func ReadAnswer(body []byte, certificate, issuer *x509.Certificate, nonce []byte) (*ocsp.Response, error) {
	return readAnswer(bytes.Clone(body), pair{certificate, issuer}, nonce)
}

// Held counts what the cache keeps.
func (c *Checker) Held() (entries, bytes int) {
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	return len(c.cache.entries), c.cache.bytes
}
