package api_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// documentAt makes up the id of a document.
func documentAt(i int) string { return fmt.Sprintf("6f0d2c1e-8a34-4b7e-9a51-%012x", i) }

// What we fail at comes again, and finds no bell that stands for a check which was never sent.
func TestNotificationsWhenWeFail(t *testing.T) {
	t.Parallel()
	tests := []struct {
		method, kind string
		unrung       int
	}{
		{"Secret", "DocumentSigned", 0},
		{"Bound", "DocumentSigned", 0},
		{"DispatchedJobs", "DocumentConcluded", 0},
		{"Ring", "DocumentSigned", 1},
		{"Check", "DocumentSigned", 1},
		{"Check", "DocumentConcluded", 1},
	}
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.kind, func(t *testing.T) {
			t.Parallel()
			r := newReceiver(t)
			r.dispatched[agreement118] = id1
			r.fail[tt.method] = fault.Wrap(fault.Throttled, errDown, "the table is busy")
			p := wantProblem(t, r.post(t, notificationNamed(t, tt.kind)), 503, fault.SignerNotificationUnavailable)
			if strings.Contains(p.Detail, "busy") || strings.Contains(p.Detail, "backend") {
				t.Errorf("detail = %q", p.Detail)
			}
			if log := strings.Join(r.lines.all(), ""); !strings.Contains(log, errDown.Error()) {
				t.Errorf("the log does not have the cause: %s", log)
			}
			if d := cmp.Diff(map[string]int64{job.OutcomeUnavailable: 1}, r.outcome); d != "" || len(r.unrung) != tt.unrung || len(r.bells) != 0 {
				t.Errorf("counted (-want +got):\n%s, unrung %v, bells %v", d, r.unrung, r.bells)
			}
			clear(r.fail)
			r.checks = nil // the fake has noted what it did not send
			wantAnswer(t, r.post(t, notificationNamed(t, tt.kind)), 202)
			if len(r.checks) != 1 {
				t.Errorf("checks of the second delivery: %v, want one", r.checks)
			}
		})
	}
}

// Of many documents one cannot be rung for: nothing is sent, and whatever was rung is taken back.
func TestNotificationsWhenOneBellFails(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	r.fail["Ring"], r.failOn = errDown, documentAt(7)
	r.waiting[documentAt(3)] = true // by another delivery
	var list []string
	for i := range 40 {
		list = append(list, documentAt(i)+" "+boundID)
	}
	wantProblem(t, r.post(t, created(list...)), 503, fault.SignerNotificationUnavailable)
	if len(r.checks) != 0 || len(r.unrung) != 39 || !r.waiting[documentAt(3)] || len(r.waiting) != 1 {
		t.Errorf("%d checks, %d unrung, waiting %v; want 0, 39 and the one of another delivery", len(r.checks), len(r.unrung), r.waiting)
	}
}

// A bell that cannot be taken back changes nothing about the answer.
func TestNotificationsWhenNothingWorks(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	r.fail["Check"], r.fail["Unring"] = errDown, errDown
	wantProblem(t, r.post(t, notificationNamed(t, "DocumentSigned")), 503, fault.SignerNotificationUnavailable)
}

// A table that does not answer is a failure of ours before the caller gives up, and the bells are taken back all the same.
func TestNotificationsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newReceiver(t, func(r *receiver, p *api.NotificationParts) { p.Checks = silent{r} })
		start := time.Now()
		got := r.post(t, notificationNamed(t, "DocumentSigned"))
		wantProblem(t, got, 503, fault.SignerNotificationUnavailable)
		if took := time.Since(start); took > 10*time.Second || len(r.unrung) != 1 {
			t.Errorf("took %s, unrung %v", took, r.unrung)
		}
	})
}

// silent is a queue that does not answer.
type silent struct{ *receiver }

func (silent) Check(ctx context.Context, _ []job.Check) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestNotificationsRepeated(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	for range 1000 {
		wantAnswer(t, r.post(t, notificationNamed(t, "DocumentSigned")), 202)
	}
	if d := cmp.Diff(map[string]int64{job.OutcomeQueued: 1, job.OutcomeWaiting: 999}, r.outcome); d != "" || len(r.checks) != 1 {
		t.Errorf("%d checks, counted (-want +got):\n%s", len(r.checks), d)
	}
}

// Events come in any order; each is worth one look.
func TestNotificationsReordered(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	r.dispatched[agreement118] = id1
	for _, kind := range []string{"DocumentConcluded", "DocumentSigned", "DocumentApproved", "DocumentsCreated"} {
		wantAnswer(t, r.post(t, notificationNamed(t, kind)), 202)
		clear(r.waiting) // the check was made meanwhile
	}
	inFolder := agreement118 + " " + boundID
	if d := cmp.Diff([]string{agreement118, inFolder, inFolder, inFolder}, r.checked()); d != "" {
		t.Errorf("checks (-want +got):\n%s", d)
	}
}

// Nothing in a body but documents and their folders has any effect.
func TestNotificationsForged(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	body := `{"type":"DocumentSigned","status":"Concluded","url":"http://169.254.169.254/","data":{"id":"` + strings.ToUpper(agreement118) +
		`","status":"Concluded","folder":{"id":"` + strings.ToUpper(boundID) + `","name":"x"},"profile":"default","signature":{"identifier":"75502846369"}}}`
	wantAnswer(t, r.post(t, body), 202)
	if d := cmp.Diff([]job.Check{{DocumentID: agreement118, FolderID: boundID, At: now}}, r.checks); d != "" {
		t.Errorf("checks (-want +got):\n%s", d)
	}
	if d := cmp.Diff([][]string{{boundID}}, r.asked); d != "" {
		t.Errorf("asked (-want +got):\n%s", d)
	}
}

func TestNotificationsOfManyDocuments(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	var list []string
	for i := range 100 {
		list = append(list, documentAt(i)+" "+archiveID)
	}
	list[57] = documentAt(57) + " " + boundID
	list = append(list, documentAt(58)+" "+boundID, list[57], documentAt(57)+" "+archiveID) // said to be in two folders; twice
	wantAnswer(t, r.post(t, created(list...)), 202)
	if d := cmp.Diff([]string{list[57], documentAt(58) + " " + boundID}, r.checked()); d != "" {
		t.Errorf("checks (-want +got):\n%s", d)
	}
	if d := cmp.Diff([][]string{{archiveID, boundID}}, r.asked); d != "" || r.times("Ring") != 2 || r.times("Check") != 1 {
		t.Errorf("calls %v, asked (-want +got):\n%s", r.calls, d)
	}
}

func TestNotificationsLookAtSoManyDocuments(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	var list []string
	for i := range api.MaxNamed + 500 {
		list = append(list, documentAt(i)+" "+boundID)
	}
	wantAnswer(t, r.post(t, created(list...)), 202)
	if len(r.checks) != api.MaxNamed || slices.Index(r.calls, "Check") != api.MaxNamed+2 {
		t.Errorf("%d checks, want %d, sent once", len(r.checks), api.MaxNamed)
	}
	if log := r.lines.all(); len(log) != 1 || strings.Count(log[0], "6f0d2c1e") != api.MaxLogged || !strings.Contains(log[0], "named=1000") {
		t.Errorf("the log has %d lines and names %d documents", len(log), strings.Count(log[0], "6f0d2c1e"))
	}
}
