package workflow

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// SaveProfile makes a profile, or replaces the one that is at version from. A block that the profile's method does not use
// is cleared, secrets and the binding to a folder included; one that the method needs and p lacks stays as it is stored.
// What is saved holds from the next job that is claimed.
//
// It returns a *profile.Refused with every rule that p breaks, fault.ProfileExists, fault.ProfileChanged if somebody else
// saved since, fault.ProfileFolderTaken with the name of the other profile, and the code of a key that cannot be opened.
func (w *Workflow) SaveProfile(ctx context.Context, p profile.Profile, from int64) (profile.Profile, error) {
	old, err := w.stored(ctx, p.Name, from)
	if err != nil {
		return profile.Profile{}, err
	}
	p = fitted(p, old)
	if refusals := w.Judge(p); len(refusals) > 0 {
		return profile.Profile{}, &profile.Refused{Refusals: refusals}
	}
	cert, err := w.opens(ctx, p, old)
	if err != nil {
		return profile.Profile{}, err
	}
	err = w.Keeper.SaveProfile(ctx, p, from)
	switch {
	case errors.Is(err, fault.JobRaceLost) && from == 0:
		return profile.Profile{}, fault.Wrap(fault.ProfileExists, err, "there is a profile %s already", p.Name)
	case errors.Is(err, fault.JobRaceLost):
		return profile.Profile{}, changed(p.Name)
	case err != nil:
		return profile.Profile{}, err
	}
	p.Version = from + 1
	if cert != nil {
		w.noteEnd(ctx, p, cert)
	}
	w.restore(ctx, old) // what was wrong with it may be mended; if not, the next job says so
	w.noteEdit(ctx, old, p)
	return p, nil
}

func changed(name string) error {
	return fault.New(fault.ProfileChanged, "profile %s was saved by somebody else meanwhile; read it again", name)
}

// stored is the profile that is to be replaced; of a new one, everything is zero.
func (w *Workflow) stored(ctx context.Context, name string, from int64) (profile.Profile, error) {
	if from == 0 {
		_, err := w.Profiles.Get(ctx, name)
		switch {
		case errors.Is(err, fault.ProfileNotFound):
			return profile.Profile{}, nil
		case err == nil:
			err = fault.New(fault.ProfileExists, "there is a profile %s already", name)
		}
		return profile.Profile{}, err
	}
	old, err := w.Profiles.Get(ctx, name)
	if err == nil && old.Version != from {
		err = changed(name)
	}
	return old, err
}

// fitted gives a profile the blocks of its method, and those alone.
func fitted(p, old profile.Profile) profile.Profile {
	if p.Method == profile.LacunaSigner {
		p.Certificate, p.SignerFolder = nil, nil
		if p.Signer == nil {
			p.Signer = old.Signer
		}
		return p.Canonical()
	}
	p.Signer = nil
	if p.Certificate == nil {
		p.Certificate = old.Certificate
	}
	switch {
	case p.Method != profile.SignerFolder:
		p.SignerFolder = nil
	case p.SignerFolder == nil:
		p.SignerFolder = old.SignerFolder
	}
	return p.Canonical()
}

// opens opens the key of a new certificate block, so that a wrong key, an expired certificate or a missing CPF is found by
// who saves, and not by the next job. A key on a token is opened by the functions that have the token's library. The
// certificate is nil where none was opened.
func (w *Workflow) opens(ctx context.Context, p, old profile.Profile) (*x509.Certificate, error) {
	if p.Certificate == nil || p.Certificate.Source == profile.CloudHsm || reflect.DeepEqual(p.Certificate, old.Certificate) && p.Method == old.Method {
		return nil, nil
	}
	key, err := w.Keys.Open(ctx, p)
	if err == nil {
		err = key.ValidAt(w.Now())
	}
	if err != nil {
		return nil, fmt.Errorf("open the key of profile %s: %w", p.Name, err)
	}
	if _, ok := icpbrasil.HolderCPF(key.Certificate); p.Method == profile.SignerFolder && !ok {
		return nil, fault.New(fault.CertificateWithoutCPF, "the certificate carries no CPF, so that nothing at Lacuna Signer could be matched to its holder; use an ICP-Brasil e-CPF or e-CNPJ")
	}
	return key.Certificate, nil
}

// noteEdit tells operators what was changed: the fields' names, never their values.
func (w *Workflow) noteEdit(ctx context.Context, old, p profile.Profile) {
	if old.Name == "" {
		slog.InfoContext(ctx, "profile created", "profile", p.Name)
		w.journal(ctx, job.EventProfileCreated, "Profile "+p.Name+" was created.")
		return
	}
	fields := changedFields(old, p)
	if len(fields) == 0 {
		return
	}
	slog.InfoContext(ctx, "profile edited", "profile", p.Name, "fields", fields)
	w.journal(ctx, job.EventProfileEdited, "Profile "+p.Name+" was edited: "+strings.Join(fields, ", ")+".")
}

// changedFields names the fields that differ.
func changedFields(old, p profile.Profile) (names []string) {
	a, b := reflect.ValueOf(old), reflect.ValueOf(p)
	for _, f := range reflect.VisibleFields(a.Type()) {
		if slices.Contains([]string{"Version", "Degraded"}, f.Name) {
			continue
		}
		if !reflect.DeepEqual(a.FieldByIndex(f.Index).Interface(), b.FieldByIndex(f.Index).Interface()) {
			names = append(names, f.Name)
		}
	}
	return names
}

// DeleteProfile deletes the profile that is at version from, with its binding to a folder. It returns fault.ProfileInUse
// while jobs of it have not ended, or a watched folder names it.
func (w *Workflow) DeleteProfile(ctx context.Context, name string, from int64) error {
	if name == profile.Default {
		return fault.New(fault.ProfileInUse, "the profile %q takes what names no other, and stays", name)
	}
	if _, err := w.stored(ctx, name, from); err != nil {
		return err
	}
	if folder, fed := w.Feeds(name); fed {
		return fault.New(fault.ProfileInUse, "the watched folder %s of the settings names profile %s", folder, name)
	}
	busy, err := w.Keeper.Busy(ctx, name)
	if err != nil {
		return fmt.Errorf("look for jobs of profile %s: %w", name, err)
	}
	if busy {
		return fault.New(fault.ProfileInUse, "jobs of profile %s have not ended", name)
	}
	err = w.Keeper.DeleteProfile(ctx, name, from)
	if errors.Is(err, fault.JobRaceLost) {
		return changed(name)
	}
	if err == nil {
		slog.InfoContext(ctx, "profile deleted", "profile", name)
		w.journal(ctx, job.EventProfileDeleted, "Profile "+name+" was deleted.")
	}
	return err
}

// SignerFolders finds folders at Lacuna Signer by a part of their name.
func (w *Workflow) SignerFolders(ctx context.Context, query string) ([]job.SignerFolder, error) {
	if w.Signer == nil {
		return nil, errNoSigner
	}
	ctx, cancel := context.WithTimeout(ctx, cancelTime) // somebody waits for the list
	defer cancel()
	folders, err := w.Signer.Folders(ctx, query)
	if err != nil {
		return nil, unreachable(err, "the folders cannot be listed now")
	}
	return folders, nil
}
