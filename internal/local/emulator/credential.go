package emulator

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/versity/versitygw/auth"
)

// KeyOf is the access key id of a client with a name: "local-sign" for the function sign, and "local" for who has none. All
// have one secret key and may do everything; the names are there so that it can be told who asks.
func KeyOf(name string) string {
	if name == "" {
		return AccessKey
	}
	return AccessKey + "-" + name
}

// NameOf is the name in an access key id, and whether the key is one of ours.
func NameOf(accessKey string) (name string, ok bool) {
	if accessKey == AccessKey {
		return "", true
	}
	return strings.CutPrefix(accessKey, AccessKey+"-")
}

// scope finds access key id and service in a SigV4 Authorization header.
var scope = regexp.MustCompile(`Credential=([^/]+)/\d{8}/[^/]+/([a-z0-9-]+)/aws4_request`)

// Credential returns the access key id that a request was signed with and the service that it was signed for, in its header
// or, presigned, in its query. The signature is not checked.
func Credential(r *http.Request) (accessKey, service string, ok bool) {
	if m := scope.FindStringSubmatch(r.Header.Get("Authorization")); m != nil {
		return m[1], m[2], true
	}
	if p := strings.Split(r.URL.Query().Get("X-Amz-Credential"), "/"); len(p) == 5 {
		return p[0], p[3], true
	}
	return "", "", false
}

// accounts has an account for each of our access key ids.
type accounts struct{ auth.IAMService }

// GetUserAccount is what the S3 gateway asks about the key of each request.
func (a accounts) GetUserAccount(access string) (auth.Account, error) {
	if _, ok := NameOf(access); ok {
		return auth.Account{Access: access, Secret: SecretKey, Role: auth.RoleAdmin}, nil
	}
	return a.IAMService.GetUserAccount(access)
}
