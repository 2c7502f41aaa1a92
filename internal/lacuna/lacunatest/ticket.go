package lacunatest

import (
	"net/url"
	"strings"
	"time"
)

// ticket opens an action of a document.
type ticket struct {
	doc    *document
	action *action
	until  time.Time
}

type urlRequest struct {
	Identifier   string `json:"identifier"`
	EmailAddress string `json:"emailAddress"`
	FlowActionID string `json:"flowActionId"`
}

// fits reports whether an action is the participant's who is asked for. What is not given is not compared.
func (r urlRequest) fits(a *action) bool {
	return (r.Identifier != "" || r.EmailAddress != "") &&
		(r.Identifier == "" || r.Identifier == a.user.Identifier) &&
		(r.EmailAddress == "" || strings.EqualFold(r.EmailAddress, a.user.Email)) &&
		(r.FlowActionID == "" || strings.EqualFold(r.FlowActionID, a.id))
}

// actionURL is POST /api/documents/{id}/action-url.
func (s *Signer) actionURL(c *call) answer {
	var in urlRequest
	if err := c.decode(&in); err != nil {
		return malformed("The request cannot be read.")
	}
	return s.onDocument(c, func(d *document, now time.Time) answer {
		a := d.next(in.fits)
		if d.status != Pending || a == nil {
			return refuse(d.whyNoURL(in))
		}
		return success(s.link(d, a, now))
	})
}

// link makes a ticket and the URLs that contain it.
func (s *Signer) link(d *document, a *action, now time.Time) urlModel {
	t := newID()
	s.tickets[t] = ticket{d, a, now.Add(ticketLife)}
	base, query := s.o.Site+"/document/key/"+url.PathEscape(d.key)+"/", "?ticket="+url.QueryEscape(t)
	page := lastSegment(a.kind)
	return urlModel{URL: text(base + page + query), EmbedURL: text(base + page + "-embedded" + query)}
}
