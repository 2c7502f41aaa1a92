//go:build pkcs11

package pkcs11

import (
	"context"
	"crypto/x509"
)

// What tests put in the place of a module.
type (
	Cryptoki  = cryptoki
	TokenInfo = tokenInfo
	Attribute = attribute
	Result    = result
)

// The numbers that a module made by a test has to know.
const (
	Certificate, PublicKey, PrivateKey             = classCertificate, classPublicKey, classPrivateKey
	Value, ID, Modulus, ECPoint                    = attributeValue, attributeID, attributeModulus, attributeECPoint
	MaySign, Always                                = attributeSign, attributeAlwaysAuthenticate
	User, ForOperation                             = userNormal, userContext
	LoginRequired, FinalTry, Locked                = flagLoginRequired, flagPINFinalTry, flagPINLocked
	AnswerTime, LeastTime                          = answerTime, leastTime
	MaxObjects                                     = maxObjects
	SessionHandleInvalid, AttributeTypeInvalid     = sessionHandleInvalid, attributeTypeInvalid
	KeyHandleInvalid, NotLoggedIn, AlreadyLoggedIn = keyHandleInvalid, notLoggedIn, alreadyLoggedIn
	PINIncorrect, OperationActive, NoOperation     = pinIncorrect, operationActive, operationNotInitialized
)

// Named returns the result that the standard gives a name.
func Named(name string) Result {
	for r, n := range names {
		if n == name {
			return r
		}
	}
	panic("no result is called " + name)
}

// Load loads a real module.
var Load = load

// Process is a process of its own, to which a test gives its modules.
type Process struct{ p *process }

// NewProcess makes a process that loads modules in a way of its own.
func NewProcess(load func(string) (Cryptoki, error)) Process { return Process{newProcess(load)} }

// Open is Open in the process.
func (p Process) Open(ctx context.Context, o Options, c *x509.Certificate) (*Key, error) {
	return p.p.open(ctx, o, c)
}

// Idle returns the sessions that a key keeps.
func Idle(k *Key) (handles []uint) {
	p := k.signer(k, context.Background()).(signer).pool
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.idle {
		handles = append(handles, s.handle)
	}
	return handles
}
