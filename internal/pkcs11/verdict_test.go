//go:build pkcs11

package pkcs11_test

import (
	"crypto"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/pkcs11"
)

// Whatever C_Sign answers, it is called once. Nothing else may be said of a code that proves nothing.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	tests := map[fault.Code][]string{
		fault.JobKeyRefused: {
			"ARGUMENTS_BAD", "DATA_INVALID", "DATA_LEN_RANGE", "FUNCTION_NOT_SUPPORTED", "FUNCTION_REJECTED",
			"KEY_FUNCTION_NOT_PERMITTED", "KEY_HANDLE_INVALID", "KEY_SIZE_RANGE", "KEY_TYPE_INCONSISTENT", "MECHANISM_INVALID",
			"MECHANISM_PARAM_INVALID", "CRYPTOKI_NOT_INITIALIZED", "USER_NOT_LOGGED_IN", "OBJECT_HANDLE_INVALID",
			"OPERATION_NOT_INITIALIZED", "PIN_EXPIRED", "PIN_LOCKED", "SESSION_HANDLE_INVALID", "TOKEN_NOT_PRESENT",
		},
		fault.JobKeySilent: {
			"GENERAL_ERROR", "FUNCTION_FAILED", "FUNCTION_CANCELED", "HOST_MEMORY", "DEVICE_MEMORY", "DEVICE_ERROR",
			"DEVICE_REMOVED", "SESSION_CLOSED", "BUFFER_TOO_SMALL", "CANCEL",
		},
	}
	c := issue(t, rsaKey())
	for want, names := range tests {
		for _, name := range names {
			f := newFake().store("1", rsaKey(), c).failNext("Sign", pkcs11.Named(name))
			_, err := f.open(t, c, 1).Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
			has(t, "Sign with "+name, err, want)
			if d := fault.DetailOf(err); !strings.Contains(d, "CKR_"+name) {
				t.Errorf("the detail is %q, want CKR_%s in it", d, name)
			}
			if n := f.count("Sign"); n != 1 {
				t.Errorf("%s: C_Sign was called %d times, want once", name, n)
			}
		}
	}
}

func TestAnUnknownCodeProvesNothing(t *testing.T) {
	t.Parallel()
	c := issue(t, rsaKey())
	f := newFake().store("1", rsaKey(), c).failNext("Sign", pkcs11.Result(0x80000042))
	_, err := f.open(t, c, 1).Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
	has(t, "Sign", err, fault.JobKeySilent)
	if d := fault.DetailOf(err); !strings.Contains(d, "0x80000042") {
		t.Errorf("the detail is %q, want the number of the code in it", d)
	}
}

// What a token answers is no signature because it says so.
func TestSignaturesAreLookedAt(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]crypto.Signer{"RSA": rsaKey(), "P-256": p256Key()} {
		c := issue(t, key)
		for what, instead := range map[string]func([]byte) []byte{
			"nothing":   func([]byte) []byte { return nil },
			"too short": func(s []byte) []byte { return s[1:] },
			"too long":  func(s []byte) []byte { return append(s, 0) },
			"wrong":     func(s []byte) []byte { s[9] ^= 1; return s },
			"zeros":     func(s []byte) []byte { clear(s); return s },
		} {
			f := newFake().store("1", key, c)
			f.instead = instead
			_, err := f.open(t, c, 1).Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
			has(t, name+" "+what, err, fault.JobKeySilent)
			if n := f.count("Sign"); n != 1 {
				t.Errorf("%s %s: C_Sign was called %d times, want once", name, what, n)
			}
		}
	}
}

// Before C_Sign nothing is signed, and what is lost is opened again, once.
func TestBeforeTheKeyIsAsked(t *testing.T) {
	t.Parallel()
	named := pkcs11.Named
	gone := named("SESSION_HANDLE_INVALID")
	tests := []struct {
		name   string
		fails  map[string][]error
		want   fault.Code
		opened int // sessions asked for, with the one of Open
	}{
		{"nothing", nil, "", 1},
		{"the session found lost", map[string][]error{"LoggedIn": {gone}}, "", 2},
		{"the device away for a question", map[string][]error{"LoggedIn": {named("DEVICE_ERROR")}}, "", 2},
		{"the session lost then", map[string][]error{"SignInit": {gone}}, "", 2},
		{"the session closed", map[string][]error{"SignInit": {named("SESSION_CLOSED")}}, "", 2},
		{"logged out", map[string][]error{"SignInit": {named("USER_NOT_LOGGED_IN")}}, "", 2},
		{"the token away", map[string][]error{"SignInit": {named("TOKEN_NOT_PRESENT")}}, "", 2},
		{"the key moved", map[string][]error{"SignInit": {named("KEY_HANDLE_INVALID")}}, "", 2},
		{"an operation left behind", map[string][]error{"SignInit": {named("OPERATION_ACTIVE")}}, "", 2},
		{"lost twice", map[string][]error{"SignInit": {gone, gone}}, fault.Throttled, 2},
		{"found lost and then lost", map[string][]error{"LoggedIn": {gone}, "SignInit": {gone}}, fault.Throttled, 2},
		{"no session to be had", map[string][]error{"LoggedIn": {gone}, "OpenSession": {named("SESSION_COUNT")}}, fault.Throttled, 2},
		{"out of order", map[string][]error{"SignInit": {named("FUNCTION_FAILED")}}, fault.Throttled, 1},
		{"the key not for this", map[string][]error{"SignInit": {named("KEY_FUNCTION_NOT_PERMITTED")}}, fault.JobKeyRefused, 1},
		{"who knows", map[string][]error{"SignInit": {named("GENERAL_ERROR")}}, fault.JobKeyRefused, 1},
	}
	c := issue(t, rsaKey())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFake().store("1", rsaKey(), c)
			k := f.open(t, c, 1)
			for function, answers := range tt.fails {
				f.failNext(function, answers...)
			}
			_, err := k.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
			has(t, "Sign", err, tt.want)
			asked := 0
			if tt.want == "" {
				asked = 1
			}
			if n := f.count("Sign"); n != asked {
				t.Errorf("C_Sign was called %d times, want %d", n, asked)
			}
			if n := f.count("OpenSession"); n != tt.opened {
				t.Errorf("%d sessions were asked for, want %d", n, tt.opened)
			}
			signature, err := k.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
			has(t, "Sign after that", err, "")
			verify(t, rsaKey().Public(), crypto.SHA256, signature)
		})
	}
}

// After a session was lost, the handle that the key had can be another object's. It is looked for again.
func TestALostTokenIsFoundAgain(t *testing.T) {
	t.Parallel()
	c := issue(t, rsaKey())
	f := newFake().store("1", rsaKey(), c)
	k := f.open(t, c, 2)
	for range 3 {
		f.lose()
		signature, err := k.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
		if err != nil {
			t.Fatal(err)
		}
		verify(t, rsaKey().Public(), crypto.SHA256, signature)
	}
	if n := f.count("Login"); n != 4 {
		t.Errorf("there were %d logins, want one at first and one after each loss", n)
	}
}
