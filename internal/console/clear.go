package console

import (
	"net/http"
	"strings"
)

// clearPage is the question before all records go.
type clearPage struct{ Wrong bool }

func (s *server) addClear(mux *http.ServeMux) {
	mux.HandleFunc("GET /system/clear", s.page(func(v *visit) error { return v.render(http.StatusOK, "system-clear", clearPage{}) }))
	mux.HandleFunc("POST /system/clear", s.page((*visit).clearJobs))
}

// clearJobs deletes the records of all jobs, for somebody who has typed the word that the page names.
func (v *visit) clearJobs() error {
	if err := v.readForm(); err != nil {
		return err
	}
	if !strings.EqualFold(strings.TrimSpace(v.r.PostForm.Get("word")), v.loc.T("clear.word")) {
		return v.render(http.StatusUnprocessableEntity, "system-clear", clearPage{Wrong: true})
	}
	var answer struct {
		Deleted  int64 `json:"deleted"`
		Complete bool  `json:"complete"`
	}
	if err := v.api.send(http.MethodDelete, "/api/jobs", nil, &answer); err != nil {
		return err
	}
	said := "clear.done"
	if !answer.Complete {
		said = "clear.goes-on"
	}
	return v.done("/system", said, v.loc.Number(answer.Deleted))
}
