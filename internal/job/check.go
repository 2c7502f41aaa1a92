package job

import (
	"encoding/json"
	"strings"
	"time"

	"bulksigner/internal/fault"
)

// Check asks for one document at Lacuna Signer to be looked at.
type Check struct {
	DocumentID string    `json:"check"`            // GUID, in lower case
	FolderID   string    `json:"folder,omitempty"` // where a notification says that it is; "" for a document that we dispatched
	At         time.Time `json:"at"`               // when the bell rang
}

// Message writes the check as a message of the checks queue.
func (c Check) Message() string {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // strings and a time of this millennium always encode
	}
	return string(b)
}

// ParseCheck reads a body of the checks queue. It returns fault.MessageMalformed for anything that is no check.
func ParseCheck(body string) (Check, error) {
	if len(body) > MaxMessageSize {
		return Check{}, fault.New(fault.MessageMalformed, "the message has %d bytes, more than SQS carries", len(body))
	}
	var c Check
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		return Check{}, fault.Wrap(fault.MessageMalformed, err, "the message is not a check")
	}
	document, ok := GUID(c.DocumentID)
	folder, fok := GUID(c.FolderID)
	if !ok || !fok && c.FolderID != "" {
		return Check{}, fault.New(fault.MessageMalformed, "the message names no document")
	}
	c.DocumentID, c.FolderID = document, folder
	return c, nil
}

// GUID returns a GUID in lower case, as everything here compares them, or false if s is none.
func GUID(s string) (string, bool) {
	if len(s) != 36 {
		return "", false
	}
	for i, c := range []byte(s) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		hex := c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
		if dash != (c == '-') || !dash && !hex {
			return "", false
		}
	}
	return strings.ToLower(s), true
}
