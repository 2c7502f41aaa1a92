package lacunatest

import (
	"net/http"
	"time"
)

// onDocument answers a call about one document. A deleted one is not found, like one that never was.
func (s *Signer) onDocument(c *call, do func(*document, time.Time) answer) answer {
	if !guid.MatchString(c.PathValue("id")) {
		return answer{status: http.StatusNotFound}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	d, err := s.find(c.PathValue("id"))
	if err != nil {
		return refuse("DocumentNotFound")
	}
	return do(d, now)
}

// details is GET /api/documents/{id}.
func (s *Signer) details(c *call) answer {
	return s.onDocument(c, func(d *document, _ time.Time) answer { return success(s.model(d)) })
}

// reason reads the body of cancellation and refusal.
func (c *call) reason() (string, bool) {
	var in struct{ Reason *string }
	if err := c.decode(&in); err != nil || in.Reason == nil || *in.Reason == "" {
		return "", false
	}
	return *in.Reason, true
}

// cancellation is POST /api/documents/{id}/cancellation.
func (s *Signer) cancellation(c *call) answer {
	reason, ok := c.reason()
	if !ok {
		return malformed("The Reason field is required.")
	}
	return s.onDocument(c, func(d *document, now time.Time) answer {
		if !cancelable(d.status) {
			return refuse(codeNotPending)
		}
		s.cancelDocument(d, reason, s.application().by("Application"), now)
		return done()
	})
}

// refusal is POST /api/documents/{id}/refusal.
func (s *Signer) refusal(c *call) answer {
	reason, ok := c.reason()
	if !ok {
		return malformed("The Reason field is required.")
	}
	return s.onDocument(c, func(d *document, now time.Time) answer {
		if d.status != Pending {
			return refuse(codeNotPending)
		}
		s.refuseWhole(d, reason, s.application().by("Application"), now)
		return done()
	})
}

// deletion is DELETE /api/documents/{id}.
func (s *Signer) deletion(c *call) answer {
	return s.onDocument(c, func(d *document, now time.Time) answer {
		s.deleteDocument(d, deletedByHand, now)
		return done()
	})
}
