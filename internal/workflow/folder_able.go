package workflow

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// watch is a profile whose folder can be looked into.
type watch struct {
	profile profile.Profile
	cert    *x509.Certificate
	cpf     string // of the certificate's holder
}

// id is of the folder that the profile is bound to.
func (a watch) id() string { return a.profile.SignerFolder.ID }

// watched reports whether a profile has a folder to be looked into, as far as its settings tell.
func watched(p profile.Profile) bool {
	return p.Enabled && p.Method == profile.SignerFolder && p.SignerFolder != nil
}

// able opens a profile for looking into its folder, or returns fault.ProfileDegraded. What shows in settings and
// certificate is judged anew each time, noted on the profile and taken back from it; a folder that vanished is asked for
// by the sweep alone.
func (w *Workflow) able(ctx context.Context, p profile.Profile) (watch, error) {
	a := watch{profile: p}
	err := error(errNoSigner)
	if w.Signer != nil {
		a.cert, a.cpf, err = w.holder(ctx, p)
	}
	if code := fault.CodeOf(err); evident[code] {
		a.profile.Degraded = w.degrade(ctx, p, profile.Degradation{Code: string(code), Reason: fault.DetailOf(err)})
		return a, degraded(a.profile.Degraded)
	}
	if err != nil {
		return a, err
	}
	if evident[fault.Code(p.Degraded.Code)] {
		a.profile.Degraded = w.lift(ctx, p)
	}
	if d := a.profile.Degraded; d.Code != "" && (d.Code != string(fault.SignerFolderGone) || vanished(p)) {
		return a, degraded(d)
	}
	return a, nil
}

// degraded quotes why a profile cannot work.
func degraded(d profile.Degradation) error {
	return fault.New(fault.ProfileDegraded, "%s: %s", d.Code, d.Reason)
}

// degrade notes that a profile cannot work, and since when; a note that is there already stays. One that cannot be
// written is left to the next look.
func (w *Workflow) degrade(ctx context.Context, p profile.Profile, d profile.Degradation) profile.Degradation {
	if p.Degraded.Code == d.Code && p.Degraded.FolderID == d.FolderID {
		return p.Degraded
	}
	d.Since = w.Now()
	if err := w.Profiles.Degrade(ctx, p.Name, d); err != nil {
		slog.ErrorContext(ctx, "profile not marked as degraded", "profile", p.Name, "code", d.Code, "err", err)
	}
	return d
}

// lift takes a note back, and returns the one that stays if that fails.
func (w *Workflow) lift(ctx context.Context, p profile.Profile) profile.Degradation {
	if err := w.Profiles.Restore(ctx, p.Name); err != nil {
		slog.ErrorContext(ctx, "profile still marked as degraded", "profile", p.Name, "err", err)
		return p.Degraded
	}
	slog.InfoContext(ctx, "profile works again", "profile", p.Name, "code", p.Degraded.Code)
	return profile.Degradation{}
}

// folderNotFound is Signer's own word for a folder that does not exist. Nothing else degrades a profile for its folder.
const folderNotFound = "FolderNotFound"

// vanished reports whether a profile's folder was not there when somebody last asked. The note counts only while the
// profile is bound to the folder that it names.
func vanished(p profile.Profile) bool {
	return p.Degraded.Code == string(fault.SignerFolderGone) && p.SignerFolder != nil && p.Degraded.FolderID == p.SignerFolder.ID
}

// there asks whether a folder exists. An error says that nobody could tell.
func (w *Workflow) there(ctx context.Context, folder string) (bool, error) {
	_, err := w.Signer.Folder(ctx, folder)
	if e, ok := errors.AsType[*job.SignerError](err); ok && e.Code == folderNotFound {
		return false, nil
	}
	return err == nil, err
}

// gone notes that a profile's folder does not exist.
func (w *Workflow) gone(ctx context.Context, p profile.Profile) profile.Degradation {
	return w.degrade(ctx, p, profile.Degradation{Code: string(fault.SignerFolderGone), FolderID: p.SignerFolder.ID,
		Reason: fmt.Sprintf("the folder %s does not exist at Lacuna Signer; bind the profile to another", p.SignerFolder.ID)})
}
