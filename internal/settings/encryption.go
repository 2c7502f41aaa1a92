package settings

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// Encryption says how the outputs of profiles that ask for it are encrypted, as BSENC envelopes. Where Enabled is false the
// rest is as it was written, and nobody has checked it.
type Encryption struct {
	Enabled    bool
	Password   Secret
	Salt       Salt
	Iterations int   // of PBKDF2
	MaxBytes   int64 // the largest output that is encrypted; a larger one is refused before the key is asked
}

// Salt is what makes the key of one service differ from that of another with its password. Like a Secret, it does not show
// itself.
type Salt []byte

// String hides s. The salt itself is []byte(s).
func (Salt) String() string { return hidden }

// GoString hides s from %#v.
func (Salt) GoString() string { return hidden }

// MarshalText hides s from JSON and slog.
func (Salt) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// The lower bound of iterations is the format's. The upper ones keep a function alive: ten million iterations are seconds
// of its first job, and an envelope needs the whole output in memory.
var (
	iterations     = bounds{min: 10_000, max: 10_000_000, otherwise: 600_000}
	encryptedBytes = bounds{min: 1024, max: 512 << 20, otherwise: 100 << 20}
)

const (
	// minPassword lets every password in the settings be found in a log line and taken out. A shorter one of old may stand in
	// a secret.
	minPassword  = 12
	minSalt      = 16   // bytes
	maxSalt      = 1024 // bytes
	givePassword = "set the ARN of a secret in Secrets Manager that holds the password, or at least 12 characters"
	giveSalt     = "set 16 random bytes or more in base64, as openssl rand -base64 32 writes them"
)

// encryption reads the section, whose values are checked only where they are used.
func (r reader) encryption(b *block) Encryption {
	e := Encryption{Enabled: b.flag("Enabled", false), Password: Secret(b.text("Password", ""))}
	salt, badSalt := parseSalt(b.text("Salt", ""))
	e.Salt = salt
	e.Iterations = int(b.number("Iterations", iterations.where(e.Enabled)))
	e.MaxBytes = b.number("MaxBytes", encryptedBytes.where(e.Enabled))
	b.end()
	if !e.Enabled {
		return e
	}
	switch message := badSecret(e.Password, minPassword); {
	case e.Password == "":
		b.fault("Password", "is missing, and outputs cannot be encrypted without it", givePassword)
	case message != "":
		b.fault("Password", message, givePassword)
	}
	if badSalt != "" {
		b.fault("Salt", badSalt, giveSalt)
	}
	return e
}

func parseSalt(s string) (salt Salt, message string) {
	salt, err := base64.StdEncoding.DecodeString(strings.TrimSpace(s))
	switch {
	case s == "":
		return nil, "is missing, and outputs cannot be encrypted without it"
	case err != nil:
		return nil, "is not base64"
	case len(salt) < minSalt:
		return salt, fmt.Sprintf("has fewer than %d bytes", minSalt)
	case len(salt) > maxSalt:
		return salt, fmt.Sprintf("has more than %d bytes", maxSalt)
	}
	return salt, ""
}
