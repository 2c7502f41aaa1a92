//go:build pkcs11

package pkcs11_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/pkcs11"
)

// hostile builds the module that answers too much.
func hostile(t *testing.T, version string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hostile.so")
	cmd := exec.CommandContext(t.Context(), "cc", "-w", "-shared", "-fPIC", "-DVERSION="+version, "-o", path, "testdata/hostile.c")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cc, which cgo needs too: %v: %s", err, out)
	}
	return path
}

func TestWhatAModuleAnswersHasLimits(t *testing.T) {
	t.Parallel()
	m, err := pkcs11.Load(hostile(t, "2"))
	if err != nil {
		t.Fatal(err)
	}
	slots, err := m.Slots()
	if err != nil || len(slots) != 256 || slots[0] != 1 {
		t.Errorf("Slots = %d slots, %v; want 256 of which the first is 1", len(slots), err)
	}
	_, err = m.Find(7, pkcs11.PrivateKey, pkcs11.Attribute{})
	has(t, "Find without end", err, fault.KeyUnsupported)
	if v, err := m.Attribute(7, 1, pkcs11.ID); err == nil {
		t.Errorf("Attribute = %d bytes, want an error", len(v))
	}
	if s, err := m.Sign(7, []byte("digest")); err != nil || len(s) > 4<<10 {
		t.Errorf("Sign = %d bytes, %v; want no more than there was room for", len(s), err)
	}
	_, err = pkcs11.Open(t.Context(), pkcs11.Options{Module: hostile(t, "2"), Slot: new(uint(1)), PIN: "1234"}, issue(t, rsaKey()))
	has(t, "Open", err, fault.KeyUnsupported)
}

func TestModulesOfVersionOneAreRefused(t *testing.T) {
	t.Parallel()
	_, err := pkcs11.Load(hostile(t, "1"))
	if err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("Load = %v, want that version 2 is needed", err)
	}
}

// The real module, asked directly: what the fake says is what a token says.
func TestTheRealModule(t *testing.T) {
	t.Parallel()
	w := softHSM(t)
	m, err := pkcs11.Load(w.module)
	if err != nil {
		t.Fatal(err)
	}
	slots, err := m.Slots()
	if err != nil || !slices.Contains(slots, w.slot) {
		t.Fatalf("Slots = %v, %v; want %d among them", slots, err, w.slot)
	}
	if info, err := m.Token(w.slot); err != nil || info.Label != label || info.Flags&pkcs11.LoginRequired == 0 {
		t.Errorf("Token = %+v, %v; want a token %q that wants a login", info, err, label)
	}
	tests := []struct {
		name string
		call func() error
		want pkcs11.Result
	}{
		{"Token of no slot", func() error { _, err := m.Token(w.slot + 1); return err }, pkcs11.Named("SLOT_ID_INVALID")},
		{"OpenSession of no slot", func() error { _, err := m.OpenSession(w.slot + 1); return err }, pkcs11.Named("SLOT_ID_INVALID")},
		{"LoggedIn of no session", func() error { _, err := m.LoggedIn(99999); return err }, pkcs11.SessionHandleInvalid},
		{"CloseSession of no session", func() error { return m.CloseSession(99999) }, pkcs11.SessionHandleInvalid},
		{"SignInit of no session", func() error { return m.SignInit(99999, 1, 1) }, pkcs11.SessionHandleInvalid},
		{"Sign of no session", func() error { _, err := m.Sign(99999, []byte("digest")); return err }, pkcs11.SessionHandleInvalid},
		{"Find of no session", func() error { _, err := m.Find(99999, 1, pkcs11.Attribute{}); return err }, pkcs11.SessionHandleInvalid},
		{"Attribute of no session", func() error { _, err := m.Attribute(99999, 1, 1); return err }, pkcs11.SessionHandleInvalid},
		{"Login of no session", func() error { return m.Login(99999, pkcs11.User, "") }, pkcs11.SessionHandleInvalid},
		{"Logout of no session", func() error { return m.Logout(99999) }, pkcs11.SessionHandleInvalid},
	}
	for _, tt := range tests {
		if err := tt.call(); err != tt.want {
			t.Errorf("%s = %v, want %v", tt.name, err, tt.want)
		}
	}
	if can, err := m.CanSign(w.slot, 0x7FFFFFFF); can || err != nil {
		t.Errorf("CanSign with no mechanism = %t, %v; want false", can, err)
	}
}
