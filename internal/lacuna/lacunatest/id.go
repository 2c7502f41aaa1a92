package lacunatest

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"bulksigner/internal/profile"
)

var guid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// newID makes a random GUID.
func newID() string {
	var b [16]byte
	rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0F|0x40, b[8]&0x3F|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// newKey makes a document's key: 20 letters and digits.
func newKey() string { return rand.Text()[:20] }

// newToken makes a token, as long and as opaque as one may be.
func newToken() string {
	var b [48]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// user gives a person an id, the same for the same person.
func (s *Signer) user(p profile.Participant) user {
	name := p.Identifier + "|" + strings.ToLower(p.Email)
	id, ok := s.users[name]
	if !ok {
		id = newID()
		s.users[name] = id
	}
	return user{id, p}
}

// somebody is a person of the organization, who takes part in no document.
func (s *Signer) somebody() creator {
	u := s.user(profile.Participant{Name: "ANA DE TESTE", Email: "ana@teste.invalid", Identifier: "11144477735"})
	return creator{u.id, text(u.Name)}
}

// application is whoever has the API key.
func (s *Signer) application() creator {
	name, _, _ := strings.Cut(s.o.Key, "|")
	return creator{s.user(profile.Participant{Name: name, Email: "application"}).id, text(name)}
}

// by is the application as one who canceled or refused.
func (c creator) by(kind string) agent { return agent{c.ID, kind, c.Name} }
