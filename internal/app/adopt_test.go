package app_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"bulksigner/internal/app"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

const restoredTo = "2026-07-15T03:00:00Z"

// restart builds the functions anew, as a deployment does.
func (d *deployed) restart(t *testing.T) {
	t.Helper()
	d.sign = built(t, app.NewSign)
	d.rest.Config.Handler = built(t, app.NewAPI)
}

// TestARestoredTableStartsPaused has the deployment say that the table was restored: nothing is claimed until an operator
// resumes, and no later start undoes the resume.
func TestARestoredTableStartsPaused(t *testing.T) {
	captured(t)
	d := newDeployed(t)
	d.save(t, http.StatusCreated, "sealed", d.key(t, "alias/rest-sealed"))
	t.Setenv("TABLE_RESTORED", restoredTo)
	d.restart(t)

	id := d.upload(t, http.StatusAccepted, "one").text(t, "jobId")
	d.doWork(t, d.arrivals(t))
	d.checkStatus(t, id, "Queued")
	state := d.call(t, http.StatusOK, http.MethodGet, "/api/pipeline/state", nil)
	if state.text(t, "paused") != "true" || state.text(t, "pausedBy") != "restore" || !strings.Contains(state.text(t, "reason"), restoredTo) {
		t.Errorf("the pipeline is %s", state.body)
	}
	events := d.call(t, http.StatusOK, http.MethodGet, "/api/events?eventType=PipelinePaused", nil)
	if n := strings.Count(string(events.body), "the table was restored"); n != 1 {
		t.Errorf("%d events tell of the pause, want 1:\n%s", n, events.body)
	}

	d.call(t, http.StatusOK, http.MethodPost, "/api/pipeline/resume", []byte(`{}`), "Content-Type", "application/json")
	d.restart(t)
	d.doWork(t, []app.Message{{ID: "bell", Receives: 1, Body: job.Doorbell(job.ID(id))}})
	d.checkStatus(t, id, "Completed")
}

func (d *deployed) checkStatus(t *testing.T, id, want string) {
	t.Helper()
	if got := d.call(t, http.StatusOK, http.MethodGet, "/api/jobs/"+id, nil).text(t, "status"); got != want {
		t.Errorf("job %s is %s, want %s", id, got, want)
	}
}

// TestAMomentThatIsNoneStopsTheStart: a word that nobody can read says nothing about what the table holds.
func TestAMomentThatIsNoneStopsTheStart(t *testing.T) {
	for name, value := range map[string]string{"TABLE_NAME": "jobs", "INPUT_BUCKET": "in", "OUTPUT_BUCKET": "out",
		"WORK_QUEUE_URL": "https://queue", "TABLE_RESTORED": "yesterday"} {
		t.Setenv(name, value)
	}
	if _, err := app.NewRecover(t.Context()); !errors.Is(err, fault.SettingsInvalid) || !strings.Contains(err.Error(), "TABLE_RESTORED") {
		t.Errorf("the function starts with %v", err)
	}
}
