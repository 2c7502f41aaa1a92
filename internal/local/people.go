package local

import (
	"strings"
	"sync"
	"time"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/lacuna/lacunatest"
	"bulksigner/internal/profile"
)

// People at the fake Lacuna Signer besides the holder of the certificate of profile "board".
var (
	Employee = profile.Participant{Name: "ANA DE TESTE", Email: "ana@example.com", Identifier: "11144477735"}
	Witness  = profile.Participant{Name: "JOAO DE TESTE", Email: "joao@example.com", Identifier: "75502846369"}
)

// Holder is who is responsible for the company that the certificate of profile "board" is issued to. The service signs for
// her, so that she never acts herself.
func Holder() profile.Participant {
	r := icpbrasiltest.Firm().Responsible
	return profile.Participant{Name: r.Name, Email: "maria@example.com", Identifier: r.CPF}
}

// PeopleDo says by what people decide, in lines.
const PeopleDo = `they sign after two seconds, refuse what has "recusad" in its name (with "uma vez" only the first time), and
never come to what has "parad" in it`

const (
	peopleTake = 2 * time.Second
	refusal    = "Recusado na demonstração."
)

// people decide by a document's name, so that whoever sends one decides what becomes of it.
type people struct {
	mu      sync.Mutex
	refused map[string]bool // by name
}

// decide is what an automatic participant does with an action whose turn has come.
func (p *people) decide(w lacunatest.Waiting) lacunatest.Reply {
	name := strings.ToLower(w.Name)
	switch {
	case w.Participant.Identifier == Holder().Identifier, strings.Contains(name, "parad"):
		return lacunatest.Reply{Do: lacunatest.Wait}
	case strings.Contains(name, "recusad") && !(strings.Contains(name, "uma vez") && p.again(name)):
		return lacunatest.Reply{Do: lacunatest.Refuse, After: peopleTake, Reason: refusal}
	}
	return lacunatest.Reply{Do: lacunatest.Sign, After: peopleTake}
}

// again reports whether a document of that name was here before.
func (p *people) again(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refused == nil {
		p.refused = map[string]bool{}
	}
	before := p.refused[name]
	p.refused[name] = true
	return before
}
