package api

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/settings"
)

// Bindings knows which profile signs in which folder at Lacuna Signer.
type Bindings interface {
	// Bound returns the profiles that folders are bound to, by the folders' ids, which are GUIDs in lower case.
	Bound(ctx context.Context, folderIDs []string) (map[string]profile.Profile, error)
}

// Dispatches knows which documents were created at Lacuna Signer by us.
type Dispatches interface {
	// DispatchedJobs returns the jobs that documents were created for; documents that are not ours are left out.
	DispatchedJobs(ctx context.Context, documentIDs []string) (map[string]job.ID, error)
}

// Bells keeps which documents have a check that waits, and when a notification last came.
type Bells interface {
	// Ring notes that a check of a document waits. It returns false if one waits already.
	Ring(ctx context.Context, documentID string, now time.Time) (fresh bool, err error)
	// Unring takes the note away.
	Unring(ctx context.Context, documentID string) error
	// Bell notes when the last notification came.
	Bell(ctx context.Context, at time.Time) error
}

// Checks is the queue of documents that are to be looked at.
type Checks interface {
	// Check sends checks. After an error some may have been sent.
	Check(ctx context.Context, checks []job.Check) error
}

// Meter counts what happens. Labels alternate between name and value.
type Meter interface {
	Count(name string, n int64, labels ...string)
}

// NotificationParts are what the receiver of notifications works with.
type NotificationParts struct {
	Bindings   Bindings
	Dispatches Dispatches
	Bells      Bells
	Checks     Checks
	Meter      Meter
	Limiter    Limiter

	// RateLimiting says how many notifications one address may send.
	RateLimiting settings.RateLimiting
	// Secret returns the token that Lacuna Signer presents; it is called for every request. Without one there is no route.
	Secret func(ctx context.Context) (string, error)
	Now    func() time.Time // time.Now if it is nil
}

const (
	// notificationsPath is where notifications go.
	notificationsPath = "/api/signer/notifications"
	// answerWithin bounds the work for one notification. Lacuna Signer waits for 100 seconds, API Gateway for 30: before
	// either gives up, we say ourselves that we failed.
	answerWithin = 10 * time.Second
	// bellEvery is how precisely it is known when the last notification came.
	bellEvery = time.Minute
)

// NewNotifications makes the handler of Lacuna Signer's notifications. It answers
//
//   - 404 while the service has no secret, and for any path but POST /api/signer/notifications;
//   - 401 without the right bearer token, and nothing was looked at then but the secret;
//   - 429 with Retry-After if too many have come from the address, so that Lacuna Signer sends the notification later;
//   - 202 if a check of at least one document was queued or waits already: documents in a folder of a profile that signs,
//     by events that can make it the holder's turn, and documents that we dispatched, by events that end them;
//   - 503 if table or queue did not do their part, so that Lacuna Signer sends the notification again;
//   - 204 in all other cases, also for a body that cannot be read or is too large: sending it again would change nothing.
//
// It never redirects, since Lacuna Signer would come back with a GET: slashes that are doubled or at the end of the path do
// not count. A notification is a doorbell: nothing that it says is believed, and Lacuna Signer is not asked here.
func NewNotifications(p NotificationParts) http.Handler {
	if p.Now == nil {
		p.Now = time.Now
	}
	return guard(&notifications{NotificationParts: p})
}

type notifications struct {
	NotificationParts

	mu       sync.Mutex
	lastBell time.Time
}

// ServeHTTP serves one delivery.
func (n *notifications) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), answerWithin)
	defer cancel()
	if err := n.admit(ctx, w, r); err != nil {
		write(w, r, err)
		return
	}
	if err := n.permit(ctx, w); err != nil {
		write(w, r, err)
		return
	}
	d := n.deliver(ctx, parseNotification(readNotification(r.Body)))
	n.count(d.outcome)
	d.log(ctx)
	if d.err != nil {
		write(w, r, d.err)
		return
	}
	n.bell(ctx)
	if d.outcome == job.OutcomeIgnored {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// leastSecret is how long the secret must be, in characters, wherever it is kept.
const leastSecret = 32

// admit says why a request is not looked at.
func (n *notifications) admit(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	if !isNotificationsPath(r.URL.Path) {
		return fault.New(fault.RouteNotFound, "there is no such path")
	}
	secret, err := n.Secret(ctx)
	switch {
	case err != nil:
		n.count(job.OutcomeUnavailable)
		return fault.Wrap(fault.SignerNotificationUnavailable, err, "the secret cannot be read now")
	case strings.TrimSpace(secret) == "":
		return fault.New(fault.RouteNotFound, "there is no such path")
	case strings.TrimSpace(secret) != secret || utf8.RuneCountInString(secret) < leastSecret: // stored; settings checks others
		n.count(job.OutcomeUnavailable)
		return fault.New(fault.SignerNotificationUnavailable, "the stored secret is shorter than %d characters, or has white space around it", leastSecret)
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		return fault.New(fault.MethodNotAllowed, "this path allows %s", http.MethodPost)
	case !bears(r.Header, secret):
		n.count(job.OutcomeUnauthorized)
		w.Header().Set("WWW-Authenticate", "Bearer")
		return fault.New(fault.SignerNotificationUnauthorized, "send the secret as a bearer token, once")
	}
	return nil
}

// permit counts a notification. It stands behind the secret, so that only Lacuna Signer uses its permits up.
func (n *notifications) permit(ctx context.Context, w http.ResponseWriter) error {
	if !n.RateLimiting.Enabled {
		return nil
	}
	wait := allowance(ctx, n.Limiter, notificationPolicy, n.RateLimiting.SignerNotification, n.Now())
	if wait == 0 {
		return nil
	}
	n.count(job.OutcomeLimited)
	w.Header().Set("Retry-After", retryAfter(wait))
	return errLimited
}

// isNotificationsPath compares a path without its empty elements.
func isNotificationsPath(path string) bool {
	elements := func(p string) []string { return strings.FieldsFunc(p, func(r rune) bool { return r == '/' }) }
	return slices.Equal(elements(path), elements(notificationsPath))
}

func (n *notifications) count(outcome string) {
	if n.Meter != nil {
		n.Meter.Count(job.MetricNotifications, 1, job.LabelOutcome, outcome)
	}
}

// bell notes that a notification came. Who looks at it wants to know of days, and no delivery is worth a failure of this.
func (n *notifications) bell(ctx context.Context) {
	now := n.Now()
	n.mu.Lock()
	due := n.lastBell.IsZero() || now.Sub(n.lastBell) >= bellEvery
	if due {
		n.lastBell = now
	}
	n.mu.Unlock()
	if !due {
		return
	}
	if err := n.Bells.Bell(ctx, now); err != nil {
		slog.WarnContext(ctx, "the time of a notification was not noted", "code", fault.CodeOf(err), "err", err)
	}
}
