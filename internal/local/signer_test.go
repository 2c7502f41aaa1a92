package local_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/lacuna/lacunatest"
	"bulksigner/internal/local"
	"bulksigner/internal/profile"
	"bulksigner/internal/settings"
)

func TestNotificationsReachNotify(t *testing.T) {
	t.Parallel()
	id, err := service.Signer.Create("Contrato", "Contrato.pdf", "application/pdf", nil, local.Holder())
	if err != nil {
		t.Fatal(err)
	}
	logged(t, "notify", id)
	logged(t, "notify", `"routeKey":"POST /api/signer/notifications"`)
	logged(t, "notify", `"authorization":"Bearer `)
	for _, d := range service.Signer.Deliveries() {
		if bytes.Contains(d.Body, []byte(untold)) {
			t.Errorf("a notification tells of what was there before: %s", d.Body)
		}
	}
}

func TestPeopleDecideByTheName(t *testing.T) {
	t.Parallel()
	decide := local.Decisions()
	tests := []struct {
		name string
		who  profile.Participant
		want lacunatest.Deed
	}{
		{"Contrato.pdf", local.Employee, lacunatest.Sign},
		{"Contrato.pdf", local.Holder(), lacunatest.Wait},
		{"Carta PARADA.pdf", local.Employee, lacunatest.Wait},
		{"Termo recusado.pdf", local.Witness, lacunatest.Refuse},
		{"Termo recusado.pdf", local.Witness, lacunatest.Refuse},
		{"Ficha recusada uma vez.pdf", local.Employee, lacunatest.Refuse},
		{"Ficha recusada uma vez.pdf", local.Employee, lacunatest.Sign},
	}
	for _, tt := range tests { // in this order
		got := decide(lacunatest.Waiting{Name: tt.name, Participant: tt.who})
		if got.Do != tt.want {
			t.Errorf("%s decides %d about %s, want %d", tt.who.Name, got.Do, tt.name, tt.want)
		}
		if got.Do != lacunatest.Wait && got.After < time.Second {
			t.Errorf("%s takes %v for %s, want time to watch", tt.who.Name, got.After, tt.name)
		}
	}
}

// TestTheBoardsCertificateIsTheHolders: the service finds what waits for the holder by the CPF in the certificate.
func TestTheBoardsCertificateIsTheHolders(t *testing.T) {
	t.Parallel()
	s, err := settings.Load(os.DirFS(filepath.Join(service.Dir, "config")), "settings.json", nil, settings.API)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(s.Signing.Profiles, func(p profile.Profile) bool { return p.Name == "board" })
	if i < 0 || s.Signing.Profiles[i].SignerFolder.ID != service.Signer.Folder {
		t.Fatalf("profile %d, want board in folder %s", i, service.Signer.Folder)
	}
	chain, err := profile.ParseCertificates([]byte(s.Signing.Profiles[i].Certificate.Kms.Certificate))
	if err != nil {
		t.Fatal(err)
	}
	if cpf, ok := icpbrasil.HolderCPF(chain[0]); !ok || cpf != local.Holder().Identifier {
		t.Errorf("the certificate is of %q, want %q", cpf, local.Holder().Identifier)
	}
}

// TestWhoKnowsWhichQueue: as in the deployment, sweep and notify work with checks, and api gives dead letters back.
func TestWhoKnowsWhichQueue(t *testing.T) {
	t.Parallel()
	for variable, who := range map[string][]string{
		"CHECKS_QUEUE_URL": {"sweep", "notify", "api"}, "DEAD_LETTER_QUEUE_URL": {"api"}, "DEAD_CHECKS_QUEUE_URL": {"api"},
	} {
		for _, f := range local.Functions() {
			knows := slices.ContainsFunc(service.Command(t.Context(), f).Env, func(v string) bool { return strings.HasPrefix(v, variable+"=http") })
			if want := slices.Contains(who, f.Name); knows != want {
				t.Errorf("%s knows %s: %t, want %t", f.Name, variable, knows, want)
			}
		}
	}
}
