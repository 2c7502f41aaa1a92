package console

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"time"
)

// A session lives in its cookie alone: when it ends, sixteen random bytes, and a MAC over both under a key that comes from
// the API key. Another API key ends every session, and no table has to be asked.
const (
	sessionCookie = "__Host-bulksigner" // the prefix binds it to this host, this path and TLS
	sessionLives  = 8 * time.Hour       // after the last page
	renewAfter    = time.Minute         // a younger session is not written anew
	sessionBytes  = 8 + 16 + sha256.Size
)

// sessionKey derives the key of the MAC, so that a cookie tells nothing that helps to find the API key itself.
func sessionKey(apiKey string) ([]byte, error) {
	return hkdf.Key(sha256.New, []byte(apiKey), nil, "bulksigner console session v1", sha256.Size)
}

// newSession makes the value of a cookie.
func newSession(key []byte, now time.Time) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(now.Add(sessionLives).Unix()))
	b = append(b, make([]byte, 16)...)
	rand.Read(b[8:])
	return base64.RawURLEncoding.EncodeToString(append(b, sealOf(key, b)...))
}

func sealOf(key, b []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(b)
	return mac.Sum(nil)
}

// openSession reports until when a session lasts; ok is false for one that is over or was not made under this key.
func openSession(key []byte, value string, now time.Time) (until time.Time, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil || len(b) != sessionBytes {
		return time.Time{}, false
	}
	body, seal := b[:len(b)-sha256.Size], b[len(b)-sha256.Size:]
	if !hmac.Equal(seal, sealOf(key, body)) {
		return time.Time{}, false
	}
	until = time.Unix(int64(binary.BigEndian.Uint64(body)), 0)
	return until, now.Before(until)
}

// begin gives the browser a session.
func begin(w http.ResponseWriter, key []byte, now time.Time) {
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie, Value: newSession(key, now), Path: "/", MaxAge: int(sessionLives.Seconds()),
		HttpOnly: true, Secure: true, SameSite: http.SameSiteStrictMode,
	})
}

// end takes the session from the browser.
func end(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie, Path: "/", MaxAge: -1, HttpOnly: true, Secure: true, SameSite: http.SameSiteStrictMode,
	})
}
