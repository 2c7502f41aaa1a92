// Package api is the REST API: jobs can be listed, read, canceled, retried and deleted, files handed in, outputs fetched,
// signatures judged, folders searched, the pipeline paused, profiles kept, and the state of the service read: its readiness,
// its settings, its queues, its certificates, its events and its figures. It also receives Lacuna Signer's notifications.
//
// It promises that every answer is JSON of a documented shape, an output, or an RFC 9457 problem with a code; that the
// OpenAPI document comes from the same definitions as the routes; that what a request says is used as it stands or
// refused, never guessed at; and that everything which is read has a limit. Names of files, keys and contents stay out of
// the log.
//
// A file that is handed in becomes a job when the work queue takes its object in, like any other file: the API writes a
// reservation and brings the bytes into the bucket, or says where to put them. Signing, and all else that happens to a
// job, is left to others. A file that is sent to be judged is judged in memory: it is in no bucket, no table and no log,
// and what is found is the Verifier's word.
//
// New makes the handler of the API, NewNotifications that of the notifications, which has a secret of its own and is no
// part of the API's document. Gateway serves either behind API Gateway.
package api

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"bulksigner/internal/settings"
)

// Parts are what an API works with.
type Parts struct {
	Jobs         Jobs
	Reservations Reservations
	Names        Names
	Profiles     Profiles
	Uploads      Uploads
	Outputs      Outputs
	Journal      Journal
	Timings      Timings
	Figures      Figures
	Limiter      Limiter
	Verifier     Verifier
	Operator     Operator
	Keeper       ProfileKeeper
	Metrics      Metrics

	// Settings are those of the whole service, checked. They are shown, and the API goes by them.
	Settings settings.Settings
	// Key returns the API key; it is called for every request that needs one. An empty key lets nobody in.
	Key func(ctx context.Context) (string, error)
	Now func() time.Time // time.Now if it is nil
}

// server has the operations as methods.
type server struct {
	Parts
	keyHeader string
	checks    schemaChecks
	ready     rows
}

// schemaChecks are the schemas of bodies that handlers read themselves.
type schemaChecks struct{ announcement, reason, nothing, profile *schemaCheck }

// New makes the handler of all routes.
func New(p Parts) http.Handler {
	if p.Now == nil {
		p.Now = time.Now
	}
	s := &server{Parts: p, keyHeader: cmp.Or(p.Settings.Auth.ApiKeyHeader, "X-API-Key"), checks: schemaChecks{
		announcement: newSchemaCheck[announcement](), reason: newSchemaCheck[reasonBody](), nothing: newSchemaCheck[noBody](),
		profile: newSchemaCheck[profileForm](),
	}}
	mux := http.NewServeMux()
	a := humago.New(mux, configuration(s.keyHeader))
	a.UseMiddleware(s.authenticate(a), s.limit(a), strictly(a), identify(a), conditions)
	s.addHealth(a)
	s.addReady(a)
	s.addMetrics(a)
	s.addStatistics(a)
	s.addOverview(a)
	s.addQueues(a)
	s.addCertificates(a)
	s.addSettings(a)
	s.addEvents(a)
	s.addJobs(a)
	s.addActions(a)
	s.addRecords(a)
	s.addFiles(a)
	s.addOutput(a)
	s.addVerify(a)
	s.addFolders(a)
	s.addRescan(a)
	s.addProfiles(a)
	s.addProfileEdits(a)
	s.addSignerFolders(a)
	s.addPipeline(a)
	addDocument(a)
	return guard(front{mux})
}
