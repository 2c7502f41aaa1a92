package browser_test

import (
	"fmt"
	"net/http"

	"bulksigner/internal/local"
	"bulksigner/internal/local/demo"
)

// Texts from outside that would do something if a page took them for more than text.
var (
	hostile = `"><img src=x onerror=alert(1)>`
	active  = "<svg onload=alert(2)>"
)

// before puts at Lacuna Signer what is there when the service starts.
func (s *stage) before(service *local.Service) error {
	for _, name := range []string{"Contratos", hostile, "Financeiro"} {
		if _, err := service.Signer.AddFolder(name, ""); err != nil {
			return err
		}
	}
	for _, name := range []string{"Ata da diretoria", "Ata " + hostile} {
		if _, err := service.Signer.Create(name, "Ata.pdf", "application/pdf", demo.Paper(2000, 1), local.Holder()); err != nil {
			return err
		}
	}
	return nil
}

// seed is a job that is there when the tests begin, by what it is called in the tests.
type seed struct {
	key, profile, name string
	broken             bool
	status             string // which it reaches by itself
}

// seeds are one job of each kind, and more for pictures.
func seeds() []seed {
	all := []seed{
		{"completed", "contracts", "Contrato de prestação de serviços 2026-114.pdf", false, "Completed"},
		{"failed", "contracts", "Aditivo sem conteúdo.pdf", true, "Failed"},
		{"awaiting", "hr", "Termo de confidencialidade parado.pdf", false, "AwaitingSigner"},
		{"canceled", "hr", "Termo parado e cancelado.pdf", false, "AwaitingSigner"},
		{"remote", "hr", "Termo de admissão.pdf", false, "Completed"},
		{"hostile", "contracts", hostile + ".pdf", false, "Completed"},
		{"hostile failed", "contracts", active + ".pdf", true, "Failed"},
	}
	if *update {
		for i := range 14 {
			name := fmt.Sprintf("%s %d.pdf", []string{"Nota fiscal", "Carta"}[i%2], 3021+i)
			all = append(all, seed{name, []string{"invoices", "letters"}[i%2], name, false, "Completed"})
		}
	}
	return all
}

// fill makes a profile that disturbs and a job of each kind.
func (s *stage) fill() error {
	s.ids = map[string]string{}
	for i, seed := range seeds() {
		content := demo.Paper(2000, uint64(i))
		if seed.broken {
			content = []byte("this is no PDF")
		}
		id, err := s.upload(seed.profile, seed.name, content)
		if err != nil {
			return fmt.Errorf("hand in %s: %w", seed.name, err)
		}
		s.ids[seed.key] = id
	}
	for _, seed := range seeds() {
		if err := s.reaches(s.ids[seed.key], seed.status); err != nil {
			return err
		}
	}
	if err := s.ask(http.MethodPost, "/api/jobs/"+s.ids["canceled"]+"/cancel", map[string]string{"reason": "Vendor " + hostile}, nil); err != nil {
		return err
	}
	return s.fromFolder()
}

// fromFolder waits for the job of a document that waits at Lacuna Signer.
func (s *stage) fromFolder() error {
	return eventually(func() (bool, error) {
		var list struct {
			Items []demo.Row `json:"items"`
		}
		if err := s.call(http.MethodGet, "/api/jobs?profile=board&status=Completed", "", nil, &list); err != nil {
			return false, err
		}
		for _, row := range list.Items {
			s.ids[row.DocumentName] = row.ID
		}
		return len(list.Items) >= 2, nil
	})
}
