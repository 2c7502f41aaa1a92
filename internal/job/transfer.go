package job

import (
	"fmt"
	"io"
	"path"
	"strings"
	"time"
)

// Link is a request that somebody without credentials may send until it expires.
type Link struct {
	Method  string
	URL     string
	Header  map[string]string // to be sent as it stands: the link is signed with it
	Expires time.Time         // when it really ends, which may be earlier than was asked for
}

// Download is an output on its way to a client. Whoever gets one closes its body.
type Download struct {
	Body        io.ReadCloser
	Size        int64
	ContentType string
}

// Attachment is the Content-Disposition under which a browser saves a file by its name (RFC 6266): as it is for those who
// read filename*, in plain ASCII for the rest. Of a name with slashes the last element counts.
func Attachment(name string) string {
	name = path.Base(name)
	return fmt.Sprintf(`attachment; filename="%s"; filename*=UTF-8''%s`, plain(name), extended(name))
}

// plain replaces what not every reader of a quoted string understands alike; a percent sign is decoded by some.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\%`, r) {
			return '_'
		}
		return r
	}, name)
}

// extended writes a name as RFC 8187 does: what is not an attr-char is percent-encoded.
func extended(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.IndexByte("!#$&+-.^_`|~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
