package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// bears reports whether a request bears the secret as its token.
//
// The header is read as RFC 9110 and RFC 6750 have it. The name of the scheme is in any case, and one blank or more stand
// before the token. The token itself is compared to the last byte: one with a line end was registered wrongly, and so says
// the 401. A header that is sent twice is the list of both, which is no token. What else comes with the request does not
// matter: the API key opens nothing here, and takes nothing from the right token beside it.
//
// Digests are compared, so that the time tells nothing, not even the secret's length.
func bears(h http.Header, secret string) bool {
	// API Gateway joins what is sent twice; others hand two values over.
	value := strings.Trim(strings.Join(h.Values("Authorization"), ","), " \t")
	scheme, token, _ := strings.Cut(value, " ")
	given, want := sha256.Sum256([]byte(strings.TrimLeft(token, " "))), sha256.Sum256([]byte(secret))
	same := subtle.ConstantTimeCompare(given[:], want[:]) == 1
	return same && strings.EqualFold(scheme, "Bearer")
}
