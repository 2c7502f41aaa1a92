package api

import "net/http"

// ClientOf is the address that a request is counted for, as API Gateway saw it.
func ClientOf(r *http.Request) string { return clientOf(r.Context()) }
