package console

import (
	"net/http"
	"time"
)

// verifyPage is the form and, once a file was judged, the verdict.
type verifyPage struct {
	Verdict *verdict
	Problem *problem
}

// verdict is what the API found.
type verdict struct {
	Valid      bool             `json:"valid"`
	Format     string           `json:"format"`
	Signatures []foundSignature `json:"signatures"`
}

type foundSignature struct {
	Field           string     `json:"field"`
	SignerName      string     `json:"signerName"`
	Policy          string     `json:"policy"`
	Time            *time.Time `json:"time"`
	CoversWholeFile bool       `json:"coversWholeFile"`
	Checks          []struct {
		Name     string `json:"name"`
		Outcome  string `json:"outcome"`
		Demanded bool   `json:"demanded"`
		Detail   string `json:"detail"`
	} `json:"checks"`
}

// Good reports whether everything that is demanded of the signature was found.
func (f foundSignature) Good() bool {
	for _, c := range f.Checks {
		if c.Demanded && c.Outcome != "passed" {
			return false
		}
	}
	return true
}

func (s *server) addVerify(mux *http.ServeMux) {
	mux.HandleFunc("GET /verify", s.page(func(v *visit) error { return v.render(http.StatusOK, "verify", verifyPage{}) }))
	mux.HandleFunc("POST /verify", s.taking(maxFiles, (*visit).verify))
}

func (v *visit) verify() error {
	form, err := v.readFiles("file", "content")
	if err != nil {
		return v.notVerified(err)
	}
	w, err := v.api.ask(http.MethodPost, "/api/verify", map[string]string{"Content-Type": form.kind}, form.body)
	if err != nil {
		return err
	}
	var found verdict
	if err := w.read(&found); err != nil {
		return v.notVerified(err)
	}
	return v.render(http.StatusOK, "verify", verifyPage{Verdict: &found})
}

// notVerified shows the form again, with what is wrong with the file.
func (v *visit) notVerified(err error) error {
	if p, ok := refusalOf(err); ok && p.visitors() {
		return v.show(p, "verify", verifyPage{Problem: p})
	}
	return err
}
