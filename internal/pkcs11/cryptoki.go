//go:build pkcs11

package pkcs11

// cryptoki is what is used of a PKCS#11 module. Slots, sessions and objects are the module's numbers for them. What a
// module answers instead is a result.
type cryptoki interface {
	// Slots lists the slots that have a token.
	Slots() ([]uint, error)
	Token(slot uint) (tokenInfo, error)
	// CanSign reports whether a token signs with a mechanism.
	CanSign(slot, mechanism uint) (bool, error)

	OpenSession(slot uint) (session uint, err error)
	CloseSession(session uint) error
	// LoggedIn reports whether the token has let the user in. All sessions on a token share that.
	LoggedIn(session uint) (bool, error)
	Login(session, user uint, pin string) error
	Logout(session uint) error

	// Find lists the objects of a class with an attribute, or all of the class if the attribute has no value.
	Find(session, class uint, with attribute) (objects []uint, err error)
	// Attribute reads an attribute of at most maxAttribute bytes.
	Attribute(session, object, kind uint) ([]byte, error)

	SignInit(session, mechanism, key uint) error
	// Sign is C_Sign, once.
	Sign(session uint, data []byte) ([]byte, error)
}

// tokenInfo is what a token says of itself.
type tokenInfo struct {
	Label string
	Flags uint
}

// attribute is a property of an object.
type attribute struct {
	Kind  uint
	Value []byte
}

// Numbers of the standard.
const (
	classCertificate = 1
	classPublicKey   = 2
	classPrivateKey  = 3

	attributeValue              = 0x011
	attributeID                 = 0x102
	attributeSign               = 0x108
	attributeModulus            = 0x120
	attributeECPoint            = 0x181
	attributeAlwaysAuthenticate = 0x202

	mechanismRSA   = 0x0001 // CKM_RSA_PKCS
	mechanismECDSA = 0x1041 // CKM_ECDSA

	userNormal  = 1
	userContext = 2 // for the one operation that was begun

	flagLoginRequired = 0x00004
	flagPINFinalTry   = 0x20000
	flagPINLocked     = 0x40000

	flagMechanismSign    = 0x800
	flagSessionReadWrite = 2
	flagSessionSerial    = 4

	stateReadOnlyUser  = 1
	stateReadWriteUser = 3
)

// Limits of what is taken from a module.
const (
	maxSlots     = 256
	maxObjects   = 1024
	maxAttribute = 32 << 10 // certificates have about 2 KiB
	maxSignature = 4 << 10  // room for any key, so that no module finds it too small
)
