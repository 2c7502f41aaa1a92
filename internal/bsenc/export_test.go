package bsenc

// NonceSize is for those who choose a nonce.
const NonceSize = nonceSize

// MaxPlaintext is a limit that tests stand on either side of.
const MaxPlaintext = maxPlaintext

// SealWith is Seal with a nonce that is known beforehand.
func SealWith(key Key, nonce [NonceSize]byte, plaintext []byte) []byte {
	return key.seal(nil, nonce, plaintext)
}
