//go:build pkcs11

package pkcs11

import (
	"errors"
	"fmt"
	"slices"

	"bulksigner/internal/fault"
)

// result is what a function of a module answers instead of its success: one of the standard's CKR codes.
type result uint

const (
	hostMemory              result = 0x002
	slotIDInvalid           result = 0x003
	functionFailed          result = 0x006
	argumentsBad            result = 0x007
	attributeSensitive      result = 0x011
	attributeTypeInvalid    result = 0x012
	dataInvalid             result = 0x020
	dataLenRange            result = 0x021
	deviceError             result = 0x030
	deviceMemory            result = 0x031
	deviceRemoved           result = 0x032
	functionNotSupported    result = 0x054
	keyHandleInvalid        result = 0x060
	keySizeRange            result = 0x062
	keyTypeInconsistent     result = 0x063
	keyFunctionNotPermitted result = 0x068
	mechanismInvalid        result = 0x070
	mechanismParamInvalid   result = 0x071
	objectHandleInvalid     result = 0x082
	operationActive         result = 0x090
	operationNotInitialized result = 0x091
	pinIncorrect            result = 0x0A0
	pinInvalid              result = 0x0A1
	pinLenRange             result = 0x0A2
	pinExpired              result = 0x0A3
	pinLocked               result = 0x0A4
	sessionClosed           result = 0x0B0
	sessionCount            result = 0x0B1
	sessionHandleInvalid    result = 0x0B3
	tokenNotPresent         result = 0x0E0
	tokenNotRecognized      result = 0x0E1
	tokenWriteProtected     result = 0x0E2
	alreadyLoggedIn         result = 0x100
	notLoggedIn             result = 0x101
	pinNotInitialized       result = 0x102
	bufferTooSmall          result = 0x150
	notInitialized          result = 0x190
	alreadyInitialized      result = 0x191
	functionRejected        result = 0x200
)

// names are those that an operator can look up. Codes without one are shown as numbers.
var names = map[result]string{
	hostMemory: "HOST_MEMORY", slotIDInvalid: "SLOT_ID_INVALID", functionFailed: "FUNCTION_FAILED",
	argumentsBad: "ARGUMENTS_BAD", attributeSensitive: "ATTRIBUTE_SENSITIVE", attributeTypeInvalid: "ATTRIBUTE_TYPE_INVALID",
	dataInvalid: "DATA_INVALID", dataLenRange: "DATA_LEN_RANGE", deviceError: "DEVICE_ERROR", deviceMemory: "DEVICE_MEMORY",
	deviceRemoved: "DEVICE_REMOVED", functionNotSupported: "FUNCTION_NOT_SUPPORTED", keyHandleInvalid: "KEY_HANDLE_INVALID",
	keySizeRange: "KEY_SIZE_RANGE", keyTypeInconsistent: "KEY_TYPE_INCONSISTENT",
	keyFunctionNotPermitted: "KEY_FUNCTION_NOT_PERMITTED", mechanismInvalid: "MECHANISM_INVALID",
	mechanismParamInvalid: "MECHANISM_PARAM_INVALID", objectHandleInvalid: "OBJECT_HANDLE_INVALID",
	operationActive: "OPERATION_ACTIVE", operationNotInitialized: "OPERATION_NOT_INITIALIZED", pinIncorrect: "PIN_INCORRECT",
	pinInvalid: "PIN_INVALID", pinLenRange: "PIN_LEN_RANGE", pinExpired: "PIN_EXPIRED", pinLocked: "PIN_LOCKED",
	sessionClosed: "SESSION_CLOSED", sessionCount: "SESSION_COUNT", sessionHandleInvalid: "SESSION_HANDLE_INVALID",
	tokenNotPresent: "TOKEN_NOT_PRESENT", tokenNotRecognized: "TOKEN_NOT_RECOGNIZED",
	tokenWriteProtected: "TOKEN_WRITE_PROTECTED", alreadyLoggedIn: "USER_ALREADY_LOGGED_IN", notLoggedIn: "USER_NOT_LOGGED_IN",
	pinNotInitialized: "USER_PIN_NOT_INITIALIZED", notInitialized: "CRYPTOKI_NOT_INITIALIZED",
	alreadyInitialized: "CRYPTOKI_ALREADY_INITIALIZED", functionRejected: "FUNCTION_REJECTED",
	0x001: "CANCEL", 0x005: "GENERAL_ERROR", 0x050: "FUNCTION_CANCELED",
	bufferTooSmall: "BUFFER_TOO_SMALL",
}

// Error implements error.
func (r result) Error() string {
	if n, ok := names[r]; ok {
		return "CKR_" + n
	}
	return fmt.Sprintf("CKR 0x%08X", uint(r))
}

// errTooMany is for a token with more objects than anybody looks through.
var errTooMany = fault.New(fault.KeyUnsupported, "the token has more than %d objects of one kind", maxObjects)

// isOneOf reports whether err is one of some results.
func isOneOf(err error, list []result) bool {
	r, ok := errors.AsType[result](err)
	return ok && slices.Contains(list, r)
}

// lost are answers of C_SignInit that a new session, with the key found again, may mend: the session or the login behind
// it is gone, the key has another number now, or an operation was left behind.
var lost = []result{
	sessionHandleInvalid, sessionClosed, notLoggedIn, tokenNotPresent, deviceRemoved, deviceError, keyHandleInvalid,
	objectHandleInvalid, operationActive,
}

// passing are answers before C_Sign that say nothing of the key: the token is away, full or out of order.
var passing = append(slices.Clone(lost), hostMemory, deviceMemory, functionFailed, sessionCount, notInitialized, tokenNotRecognized)

// unbegun says what it means that C_Sign was not called. That nothing was signed needs no proof: the token has not seen
// the digest.
func unbegun(err error) error {
	if fault.CodeOf(err) != fault.Internal {
		return err
	}
	if isOneOf(err, passing) {
		return fault.Wrap(fault.Throttled, err, "the token could not be used (%s); nothing was signed", err)
	}
	return fault.Wrap(fault.JobKeyRefused, err, "the token would not begin to sign (%s); nothing was signed", err)
}

// unsigned are answers of C_Sign that prove that nothing was signed: the standard has them for what is found before an
// operation, in its arguments, its state or its permissions.
//
// SESSION_CLOSED and DEVICE_REMOVED are not among them, since they are for what happens during the operation, and
// FUNCTION_CANCELED neither, nor BUFFER_TOO_SMALL, which may be found when the signature is there. Errors of the device
// and of memory prove nothing at all.
var unsigned = []result{
	argumentsBad, dataInvalid, dataLenRange, functionNotSupported, functionRejected, keyFunctionNotPermitted,
	keyHandleInvalid, keySizeRange, keyTypeInconsistent, mechanismInvalid, mechanismParamInvalid, notInitialized, notLoggedIn,
	objectHandleInvalid, operationNotInitialized, pinExpired, pinLocked, sessionHandleInvalid, tokenNotPresent,
}

// verdict says what is known after a C_Sign that brought no signature. It is never called again, whatever is known.
func verdict(err error) error {
	if isOneOf(err, unsigned) {
		return fault.Wrap(fault.JobKeyRefused, err, "the token refused to sign (%s); nothing was signed", err)
	}
	return fault.Wrap(fault.JobKeySilent, err, "the token failed (%s); a signature may have been made", err)
}

// unopened says what it means that a key could not be looked for. Errors of the device have no code: they pass.
func unopened(err error) error {
	switch {
	case isOneOf(err, []result{slotIDInvalid}):
		return fault.Wrap(fault.KeyNotFound, err, "the PKCS#11 module has no such slot (%s)", err)
	case isOneOf(err, []result{tokenNotPresent, tokenNotRecognized}):
		return fault.Wrap(fault.KeyUnavailable, err, "the token is not there (%s)", err)
	}
	return err
}
