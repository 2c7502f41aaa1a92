package workflow

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// Readiness is a report on what the service needs. Only a row without which nothing works gates. What cannot be asked is
// red.
func (w *Workflow) Readiness(ctx context.Context) []job.Ready {
	rows := []job.Ready{w.tableReady(ctx)}
	if w.Remote.PollEvery > 0 {
		rows = append(rows, w.signerReady(ctx))
		rows = append(rows, w.sweepReady(ctx)...)
	}
	return append(rows, w.profilesReady(ctx)...)
}

func (w *Workflow) tableReady(ctx context.Context) job.Ready {
	p, err := w.Pipeline.State(ctx)
	switch {
	case err != nil:
		return job.Ready{Name: "database", Gates: true, Detail: "The table does not answer."}
	case p.Paused:
		return job.Ready{Name: "database", Gates: true, OK: true, Detail: "The pipeline is paused since " + at(p.PausedAt) + "."}
	}
	return job.Ready{Name: "database", Gates: true, OK: true, Detail: "The table answers."}
}

// signerReady tells whether the API key is good, as the last pass of the poll found it.
func (w *Workflow) signerReady(ctx context.Context) job.Ready {
	row := job.Ready{Name: "signer"}
	pass, err := w.Passes.Pass(ctx, pollPass)
	if err != nil {
		row.Detail = "The state of the poll cannot be read."
		return row
	}
	var s polling
	if pass.State != "" && json.Unmarshal([]byte(pass.State), &s) != nil {
		row.Detail = "The state of the poll cannot be understood."
		return row
	}
	if !s.DeniedSince.IsZero() {
		row.Detail = "Since " + at(s.DeniedSince) + " Lacuna Signer has accepted the API key for no call of the poll. Check Signer:ApiKey."
		return row
	}
	if !s.SilentSince.IsZero() {
		row.Detail = "Since " + at(s.SilentSince) + " no call of the poll has brought an answer of Lacuna Signer."
		return row
	}
	row.OK, row.Detail = true, fmt.Sprintf("%d jobs waited in the last pass, which began %s.", s.Waiting, cmp.Or(at(s.At), "never"))
	return row
}

// profilesReady has a red row for each profile that cannot sign, and none for the others.
func (w *Workflow) profilesReady(ctx context.Context) []job.Ready {
	all, err := w.Profiles.List(ctx)
	if err != nil {
		return []job.Ready{{Name: "signing-profiles", Detail: "The profiles cannot be read."}}
	}
	rows, numbers := make([]job.Ready, len(all)), make([]int, len(all))
	for i, p := range all {
		rows[i].Name, numbers[i] = "signing-profile:"+p.Name, i
	}
	inParallel(w.Remote.AtOnce, numbers, func(i int) { rows[i].Detail = w.ailment(ctx, all[i]) })
	return slices.DeleteFunc(rows, func(r job.Ready) bool { return r.Detail == "" })
}

// ailment says why a profile cannot sign: what was met when it last should, settings without Lacuna Signer, or a certificate
// that has ended while nobody needed it. It is "" where nothing is known against it.
func (w *Workflow) ailment(ctx context.Context, p profile.Profile) string {
	if w.Signer == nil && p.Method != profile.Local {
		return cannotSign(p.Degraded.Since, fault.SignerNotConfigured, fault.DetailOf(errNoSigner))
	}
	if p.Degraded.Code != "" {
		return cannotSign(p.Degraded.Since, fault.Code(p.Degraded.Code), p.Degraded.Reason)
	}
	if !p.Enabled {
		return ""
	}
	ends, err := w.endOf(ctx, p)
	if code := fault.CodeOf(err); degrading[code] {
		return cannotSign(time.Time{}, code, fault.DetailOf(err))
	}
	switch {
	case err != nil:
		return "When its certificate ends cannot be read."
	case !ends.IsZero() && w.Now().After(ends):
		return cannotSign(ends, fault.CertificateExpired, "its certificate has ended")
	}
	return ""
}

func cannotSign(since time.Time, code fault.Code, reason string) string {
	return strings.TrimSpace("Cannot sign "+sinceWhen(since)) + ": " + string(code) + ": " + reason
}

func sinceWhen(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return "since " + at(t)
}

// at writes a time for operators; "" for none.
func at(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
