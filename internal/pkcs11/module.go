//go:build pkcs11

package pkcs11

// #cgo linux LDFLAGS: -ldl
// #include <stdlib.h>
// #include "cryptoki.h"
import "C"

import (
	"errors"
	"strings"
	"unsafe"
)

// module is a shared library, loaded. It stays until the process ends: some have threads that outlive C_Finalize, and
// would run on in memory that is gone.
type module struct{ list *C.ck_functions }

// load opens a module and makes it ready.
func load(path string) (cryptoki, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	why := make([]byte, 512)
	list := C.load(name, (*C.char)(unsafe.Pointer(&why[0])), C.size_t(len(why)))
	if list == nil {
		text, _, _ := strings.Cut(string(why), "\x00")
		return nil, errors.New(text)
	}
	if err := answer(C.initialize(list)); err != nil && err != alreadyInitialized {
		return nil, err
	}
	return module{list}, nil
}

// answer is the error that a result stands for, if it is one.
func answer(r C.ck_ulong) error {
	if r == 0 {
		return nil
	}
	return result(r)
}

// Slots implements cryptoki.
func (m module) Slots() ([]uint, error) {
	list := make([]C.ck_ulong, maxSlots)
	count := C.ck_ulong(len(list))
	if err := answer(C.slots(m.list, &list[0], &count)); err != nil {
		return nil, err
	}
	return numbers(list, count), nil
}

// numbers are those that a module wrote, and never more than there was room for.
func numbers(list []C.ck_ulong, count C.ck_ulong) []uint {
	out := make([]uint, min(uint(count), uint(len(list))))
	for i := range out {
		out[i] = uint(list[i])
	}
	return out
}

// Token implements cryptoki.
func (m module) Token(slot uint) (tokenInfo, error) {
	var info C.ck_token_info
	err := answer(C.token_info(m.list, C.ck_ulong(slot), &info))
	label := C.GoStringN(&info.label[0], C.int(len(info.label)))
	return tokenInfo{Label: strings.TrimRight(label, " \x00"), Flags: uint(info.flags)}, err
}

// CanSign implements cryptoki.
func (m module) CanSign(slot, mechanism uint) (bool, error) {
	var flags C.ck_ulong
	err := answer(C.mechanism_flags(m.list, C.ck_ulong(slot), C.ck_ulong(mechanism), &flags))
	if err == mechanismInvalid {
		return false, nil
	}
	return flags&flagMechanismSign != 0, err
}

// OpenSession implements cryptoki. Nothing is written, and yet the session is one that may write where the token has
// such: CloudHSM knows no others.
func (m module) OpenSession(slot uint) (uint, error) {
	var session C.ck_ulong
	err := answer(C.open_session(m.list, C.ck_ulong(slot), flagSessionSerial|flagSessionReadWrite, &session))
	if err == tokenWriteProtected {
		err = answer(C.open_session(m.list, C.ck_ulong(slot), flagSessionSerial, &session))
	}
	return uint(session), err
}

// CloseSession implements cryptoki.
func (m module) CloseSession(session uint) error {
	return answer(C.close_session(m.list, C.ck_ulong(session)))
}

// LoggedIn implements cryptoki.
func (m module) LoggedIn(session uint) (bool, error) {
	var state C.ck_ulong
	err := answer(C.session_state(m.list, C.ck_ulong(session), &state))
	return state == stateReadOnlyUser || state == stateReadWriteUser, err
}

// Login implements cryptoki.
func (m module) Login(session, user uint, pin string) error {
	b := append([]byte(pin), 0) // the address of an empty PIN would be none, which asks for a PIN pad
	defer clear(b)
	return answer(C.login(m.list, C.ck_ulong(session), C.ck_ulong(user), unsafe.Pointer(&b[0]), C.ck_ulong(len(pin))))
}

// Logout implements cryptoki.
func (m module) Logout(session uint) error { return answer(C.logout(m.list, C.ck_ulong(session))) }

// Find implements cryptoki. It asks for one object more than may be, to see that there are more.
func (m module) Find(session, class uint, with attribute) ([]uint, error) {
	list := make([]C.ck_ulong, maxObjects+1)
	var count C.ck_ulong
	err := answer(C.find(m.list, C.ck_ulong(session), C.ck_ulong(class), C.ck_ulong(with.Kind),
		unsafe.Pointer(unsafe.SliceData(with.Value)), C.ck_ulong(len(with.Value)), &list[0], C.ck_ulong(len(list)), &count))
	switch {
	case err != nil:
		return nil, err
	case count > maxObjects:
		return nil, errTooMany
	}
	return numbers(list, count), nil
}

// Attribute implements cryptoki.
func (m module) Attribute(session, object, kind uint) ([]byte, error) {
	value := make([]byte, maxAttribute)
	length := C.ck_ulong(len(value))
	err := answer(C.attribute(m.list, C.ck_ulong(session), C.ck_ulong(object), C.ck_ulong(kind), unsafe.Pointer(&value[0]), &length))
	switch {
	case err != nil:
		return nil, err
	case uint(length) > uint(len(value)): // all ones, beside an answer of success
		return nil, attributeSensitive
	}
	return value[:length:length], nil
}

// SignInit implements cryptoki.
func (m module) SignInit(session, mechanism, key uint) error {
	return answer(C.sign_init(m.list, C.ck_ulong(session), C.ck_ulong(mechanism), C.ck_ulong(key)))
}

// Sign implements cryptoki.
func (m module) Sign(session uint, data []byte) ([]byte, error) {
	signature := make([]byte, maxSignature)
	length := C.ck_ulong(len(signature))
	err := answer(C.sign(m.list, C.ck_ulong(session), unsafe.Pointer(unsafe.SliceData(data)), C.ck_ulong(len(data)),
		unsafe.Pointer(&signature[0]), &length))
	if err != nil {
		return nil, err
	}
	return signature[:min(uint(length), uint(len(signature)))], nil
}
