package lacuna

import (
	"context"
	"net/url"
	"regexp"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

type actionURLModel struct {
	Identifier string `json:"identifier,omitempty"`
	Email      string `json:"emailAddress,omitempty"`
	ActionID   string `json:"flowActionId,omitempty"`
}

const opTicket = "show the way to the action"

// ActionURL returns key and ticket of the participant's pending action, or fault.SignerFolderURLMalformed if the address
// that Signer gives has none. The host of that address is never called.
func (c *Client) ActionURL(ctx context.Context, a job.ActionQuery) (job.Ticket, error) {
	asked := guid(a.DocumentID)
	if asked == "" {
		return job.Ticket{}, impossible(opTicket, errGUID)
	}
	m, err := ask(ctx, c, question{
		op:    opTicket,
		path:  "/api/documents/" + asked + "/action-url",
		limit: maxSmall,
		body:  asJSON(actionURLModel{digits(a.Identifier), a.Email, a.ActionID}),
	}, parseAddresses)
	if err != nil {
		return job.Ticket{}, err
	}
	for _, address := range m {
		if t, ok := parseActionURL(address); ok {
			return t, nil
		}
	}
	return job.Ticket{}, fault.New(fault.SignerFolderURLMalformed, "the address that Lacuna Signer gave has no key or no ticket")
}

// parseAddresses reads the addresses of an action, the better one first.
func parseAddresses(b []byte) ([]string, error) {
	var m struct{ URL, EmbedURL text }
	err := decode(b, &m)
	return []string{string(m.URL), string(m.EmbedURL)}, err
}

var keyInPath = regexp.MustCompile(`/document/key/([^/?]+)`)

// parseActionURL reads {site}/document/key/{key}/sign?ticket={ticket}. What follows the key differs between actions.
func parseActionURL(address string) (job.Ticket, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return job.Ticket{}, false
	}
	found := keyInPath.FindStringSubmatch(u.EscapedPath())
	if found == nil {
		return job.Ticket{}, false
	}
	key, err := url.PathUnescape(found[1])
	t := job.Ticket{Key: key, Ticket: u.Query().Get("ticket")}
	// A key of dots would lead out of the path that it is put into.
	return t, err == nil && t.Ticket != "" && key != "." && key != ".."
}
