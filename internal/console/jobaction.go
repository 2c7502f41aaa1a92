package console

import (
	"maps"
	"net/http"

	"bulksigner/internal/job"
)

// jobQuestion is what is asked before something is done to a job.
type jobQuestion struct {
	jobDetail
	Reason  string   // what the visitor wrote
	Refused *problem // what is wrong with it
	Changed bool     // the job's status is not the one any more that the visitor was asked about
}

func (s *server) addJobActions(mux *http.ServeMux) {
	mux.HandleFunc("GET /jobs/{id}/output", s.page((*visit).output))
	mux.HandleFunc("GET /jobs/{id}/cancel", s.page(func(v *visit) error { return v.askAbout("job-cancel") }))
	mux.HandleFunc("POST /jobs/{id}/cancel", s.page((*visit).cancel))
	mux.HandleFunc("GET /jobs/{id}/retry", s.page((*visit).toJob))
	mux.HandleFunc("POST /jobs/{id}/retry", s.page((*visit).retry))
	mux.HandleFunc("GET /jobs/{id}/delete", s.page(func(v *visit) error { return v.askAbout("job-delete") }))
	mux.HandleFunc("POST /jobs/{id}/delete", s.page((*visit).deleteJob))
}

// askAbout is a question about the job as it is now.
func (v *visit) askAbout(page string) error {
	j, err := v.readJob()
	if err != nil {
		return err
	}
	return v.render(http.StatusOK, page, jobQuestion{jobDetail: j})
}

// answered reads the answer to a question about a job. What an action does depends on the job's status: if that is another
// one than the visitor was asked about, the question has changed.
func (v *visit) answered(action string) (q jobQuestion, err error) {
	if err := v.readForm(); err != nil {
		return q, err
	}
	if q.jobDetail, err = v.readJob(); err != nil {
		return q, err
	}
	q.Reason = v.r.PostForm.Get("reason")
	q.Changed = q.May(action) && v.r.PostForm.Get("status") != string(q.Status)
	return q, nil
}

// toJob leads to the job's page from an address that only takes forms: a choice of language comes back to it.
func (v *visit) toJob() error {
	http.Redirect(v.w, v.r, jobPage(job.ID(v.r.PathValue("id"))), http.StatusSeeOther)
	return nil
}

// declined shows the job as it is now, with why the API did not do what was asked for.
func (v *visit) declined(err error) error {
	refused, ok := refusalOf(err)
	if !ok || !refused.visitors() {
		return err
	}
	j, err := v.readJob()
	if err != nil {
		return err
	}
	return v.showJob(j, refused)
}

// output hands the document on as the API gives it: itself, or a link to it.
func (v *visit) output() error {
	w, err := v.api.ask(http.MethodGet, v.jobPath()+"/output", nil, nil)
	if err != nil {
		return err
	}
	if w.status >= http.StatusBadRequest {
		return v.declined(w.problem())
	}
	maps.Copy(v.w.Header(), w.header)
	v.w.WriteHeader(w.status)
	v.write(w.body.Bytes())
	return nil
}

// cancel ends the job.
func (v *visit) cancel() error {
	q, err := v.answered("cancel")
	if err != nil {
		return err
	}
	if q.Changed {
		return v.render(http.StatusConflict, "job-cancel", q)
	}
	body := map[string]string{}
	if q.Reason != "" {
		body["reason"] = q.Reason
	}
	err = v.api.send(http.MethodPost, v.jobPath()+"/cancel", body, nil)
	if refused, ok := refusalOf(err); ok && refused.aboutReason() {
		q.Refused = refused
		return v.show(refused, "job-cancel", q)
	}
	if err != nil {
		return v.declined(err)
	}
	return v.done(q.Page(), "job.canceled")
}

// retry leads to the new job.
func (v *visit) retry() error {
	if err := v.readForm(); err != nil {
		return err
	}
	headers := map[string]string{}
	if once := v.r.PostForm.Get("once"); once != "" {
		headers["Idempotency-Key"] = "console-" + once
	}
	var child struct {
		ID job.ID `json:"newJobId"`
	}
	if _, err := v.api.exchange(http.MethodPost, v.jobPath()+"/retry", headers, nil, &child); err != nil {
		return v.declined(err)
	}
	return v.done(jobPage(child.ID), "job.retried")
}

// deleteJob deletes the job's record.
func (v *visit) deleteJob() error {
	q, err := v.answered("delete")
	if err != nil {
		return err
	}
	if q.Changed {
		return v.render(http.StatusConflict, "job-delete", q)
	}
	if err := v.api.send(http.MethodDelete, v.jobPath(), nil, nil); err != nil {
		return v.declined(err)
	}
	return v.done("/jobs", "job.deleted")
}
