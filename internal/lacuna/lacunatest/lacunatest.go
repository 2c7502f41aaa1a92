// Package lacunatest is a Lacuna Signer in memory: an http.Handler that answers like the real service, with people who
// sign, webhooks, a knob for each way to fail and a record of what it was asked. Tests and the run on one machine use it.
//
// What people sign is really signed, with certificates of a test ICP-Brasil: a PDF as PAdES, XML as XAdES, anything else
// as CAdES. The hash that a start answers is that of the signature's signed attributes, and the signature that completes
// it is checked and built into the document. Field names, types and nullability are those of the vendor's published
// clients; a test holds the table of them.
//
// Several people sign a document one after the other, except XML, of which a signature covers all there is: a second one
// is refused. It leaves out what nobody here calls: envelopes, versions, rules that are signed with a certificate, download
// tickets, electronic signatures.
//
// What no public source says is assumed here, each assumption in one function of the files named assumed*.go: which codes
// there are for what is not in the vendor's list, that a deleted document is not found, what a list's filters mean where
// the documentation is silent, when a document turns from FlowConcluded to Concluded, how the file of a signature is
// named, that section "public signature" needs no key, and what becomes of two signatures begun at once.
package lacunatest

import (
	"crypto"
	"net/http"
	"sync"
	"time"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
)

// DefaultKey is the API key where Options name none. Like real ones it is application|secret, with blanks inside.
const DefaultKey = "Bulk Signer Test|0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"

// Options are the knobs that are set once. The zero value is a service that answers at once and keeps to its contract.
type Options struct {
	Key          string   // DefaultKey if empty
	Foreign      []string // keys of other organizations: they are valid, and see nothing
	Organization Organization
	Now          func() time.Time // time.Now if nil; it must lie in the period of the signature policies if people are to sign
	// Site is where action URLs lead. By default it is another host than the fake's own, as it may be in earnest: a client
	// that calls it fails.
	Site       string
	Concluding time.Duration // how long a document stays FlowConcluded
	Latency    time.Duration // before each answer
	Lists      Lists
	MaxUpload  int64              // in bytes; the vendor's default if 0
	Digest     crypto.Hash        // of the hashes that starts answer; SHA-256 if 0. One that the policies lack is answered, but its signature is not built in
	Detached   bool               // CAdES signatures stand without their content, and then there is room for one alone
	PKI        *icpbrasiltest.PKI // issues people's certificates; one is made if nil

	// People decides what becomes of an action when its turn comes. If nil, everybody waits to be told by Sign and the
	// others. It must not call the Signer.
	People func(Waiting) Reply

	HTTP    *http.Client // sends webhooks; what it leaves open is as at the vendor's: 100 s for an answer, no way from https to http
	Sending Sending
}

// Organization is whose documents there are.
type Organization struct{ ID, Name, CNPJ string }

// Lists are the ways in which lists may differ from what is documented.
type Lists struct {
	ItemOffsets bool           // Offset counts items, not pages
	Subfolders  bool           // a folder's list includes the documents of the folders below it
	HideTotal   bool           // totalCount is null
	PageSize    int            // every page has so many items, whatever Limit says
	MaxLimit    int            // the largest Limit that is honoured; 100 if 0
	Between     func(page int) // runs after a page was made, counted from 1: documents that leave shift the pages to come
}

// Signer is the service. It is safe for concurrent use.
type Signer struct {
	o    Options
	mux  *http.ServeMux
	stop chan struct{} // closed when requests are not to wait any longer

	closing sync.Once

	mu      sync.Mutex
	serial  int // of whatever is listed in order of creation
	docs    map[string]*document
	keys    map[string]*document
	order   map[string]*shelf // by folder; see shelfOf
	folders map[string]*folder
	rows    []*folder // in order of creation
	uploads map[string]*upload
	tickets map[string]ticket
	tokens  map[string]*started
	blobs   map[*byte]*blob
	users   map[string]string // GUIDs of people, by identifier and address
	agenda  agenda
	rules   []*Rule
	calls   []*Call
	counts  map[Op]int
	away    string // the other host, see Elsewhere
	post    office

	people people
}

// New makes a service without documents.
func New(o Options) *Signer {
	o = o.complete()
	s := &Signer{
		o: o, mux: http.NewServeMux(), stop: make(chan struct{}),
		docs: map[string]*document{}, keys: map[string]*document{}, order: map[string]*shelf{}, folders: map[string]*folder{},
		uploads: map[string]*upload{}, tickets: map[string]ticket{}, tokens: map[string]*started{}, blobs: map[*byte]*blob{},
		users: map[string]string{}, counts: map[Op]int{}, post: newOffice(), people: newPeople(o),
	}
	s.routes()
	return s
}

// maxUpload is the vendor's MaxUploadSizeInBytes.
const maxUpload = 106_954_752

func (o Options) complete() Options {
	if o.Key == "" {
		o.Key = DefaultKey
	}
	if o.Organization.ID == "" {
		o.Organization = Organization{ID: newID(), Name: "EMPRESA DE TESTE LTDA", CNPJ: "11222333000181"}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Site == "" {
		o.Site = "https://signer.teste.invalid"
	}
	if o.MaxUpload == 0 {
		o.MaxUpload = maxUpload
	}
	if o.Lists.MaxLimit == 0 {
		o.Lists.MaxLimit = 100
	}
	if o.Digest == 0 {
		o.Digest = crypto.SHA256
	}
	o.HTTP = messenger(o.HTTP)
	return o
}

// Key is the API key.
func (s *Signer) Key() string { return s.o.Key }

// PKI is what issues people's certificates. Its root is the trust anchor of what they sign.
func (s *Signer) PKI() (*icpbrasiltest.PKI, error) { return s.people.authority() }

// now is the present, with everything done that was due by then. s.mu is held.
func (s *Signer) now() time.Time {
	now := s.o.Now().UTC()
	s.agenda.run(now)
	return now
}
