package browser_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bulksigner/internal/lacuna/lacunatest"
	"bulksigner/internal/local"
)

// certificate is that of a profile which the settings file has.
func (b *tab) certificate(profile string) (keyID, pem string) {
	b.Helper()
	file, err := os.ReadFile(filepath.Join(b.Dir, "config", "settings.json"))
	b.must(err)
	var all struct {
		Signing struct {
			Profiles []struct {
				Name        string
				Certificate struct {
					Kms struct{ KeyId, Certificate string }
				}
			}
		}
	}
	b.must(json.Unmarshal(file, &all))
	for _, p := range all.Signing.Profiles {
		if p.Name == profile {
			return p.Certificate.Kms.KeyId, p.Certificate.Kms.Certificate
		}
	}
	b.Fatalf("there is no profile %s", profile)
	return "", ""
}

// paste puts a long text into a field at once.
func (b *tab) paste(selector, text string) {
	b.Helper()
	b.do(script("document.querySelector(" + quote(selector) + ").value = " + quote(text)))
}

// method chooses how documents get signed, and waits for the fields of that method.
func (b *tab) method(name string) {
	b.Helper()
	b.click("#f-method-" + name)
	b.until(`document.querySelector('[name="shown"]').value === `+quote(name)+` && !document.querySelector(".htmx-request")`, "the form is that of "+name)
}

// key fills in where the key is.
func (b *tab) keyFields(profile string) {
	b.Helper()
	keyID, pem := b.certificate(profile)
	b.write("#f-certificate-kms-keyId", keyID)
	b.paste("#f-certificate-kms-certificate", pem)
}

// save saves the form, which is then read again.
func (b *tab) save() {
	b.Helper()
	b.submit(`#profile-form button[value="save"]`)
}

func TestAProfileGoesThroughAllMethods(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.visit("/profiles/_new")
	b.write("#f-name", "traveller")
	b.do(script(`document.querySelector("#f-format").value = "Pades"`))
	b.keyFields("contracts")
	b.click("#f-validateCertificate")
	b.save()
	b.at("/profiles/traveller")
	b.reads("The profile is created.")

	b.method("LacunaSigner")
	b.reads("A save erases where the certificate and its key are.")
	b.write("#f-signer-name", local.Employee.Name)
	b.write("#f-signer-email", local.Employee.Email)
	b.write("#f-signer-identifier", local.Employee.Identifier)
	b.save()
	b.reads("Saved. It takes effect with the next job that begins.")
	if got := answer[string](b, `document.querySelector("#f-signer-name").value`); got != "" {
		t.Errorf("the stored participant is shown: %s", got)
	}

	b.method("SignerFolder")
	b.reads("Turn it off before you save.")
	b.settle()
	b.reads("Contratos", "Financeiro", hostile)
	b.write("#q", "Contra")
	b.until(`document.querySelectorAll("#folder-results input[type=radio]").length === 1`, "one folder is found")
	b.click("#folder-results input[type=radio]")
	b.click("#f-verify")
	b.keyFields("contracts")
	b.save()
	b.reads("Saved. It takes effect with the next job that begins.", "Contratos")

	b.method("Local")
	b.reads("A save lets go of the folder at Lacuna Signer.")
	b.save()
	b.reads("Saved. It takes effect with the next job that begins.")
	b.submit("#delete")
	b.at("/profiles/traveller/delete")
	b.submit("main button.danger")
	b.at("/profiles")
	b.reads("The profile traveller is deleted.")
}

// TestSignerOutOfReach breaks Lacuna Signer for all, so that it goes before those that run beside each other.
func TestSignerOutOfReach(t *testing.T) {
	b := newTab(t)
	b.Signer.Fail(lacunatest.Rule{Op: lacunatest.Folders, Fault: lacunatest.Status(503)})
	t.Cleanup(b.Signer.Heal)
	b.visit("/profiles/board")
	b.reads("Lacuna Signer cannot be reached", "chosen")
	if !answer[bool](b, `document.querySelector("#folder-results input[type=radio]").checked`) {
		t.Error("the folder that the profile has is no longer chosen")
	}
	b.accessible("out of reach")
	b.save()
	b.reads("Saved. It takes effect with the next job that begins.")
}

func TestRefusalsSpeakPortuguese(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.refusals(422)
	b.language("pt-BR")
	b.visit("/profiles/_new")
	b.write("#f-name", "Sem Regra")
	b.save()
	b.reads("Nada foi salvo")
	if got := answer[string](b, "document.documentElement.lang"); got != "pt-BR" {
		t.Errorf("the page is in %s", got)
	}
	problem := answer[string](b, `document.querySelector("#f-name-problem").innerText`)
	for _, english := range []string{" must ", " the ", " use "} {
		if strings.Contains(problem, english) {
			t.Errorf("the refusal is in English: %s", problem)
		}
	}
	if got := answer[string](b, `document.querySelector("#f-name").value`); got != "Sem Regra" {
		t.Errorf("what was typed is now %q", got)
	}
}
