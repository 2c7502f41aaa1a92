package host

import (
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
)

// gatewayResponse is what a function may answer in payload format 2.0. multiValueHeaders are not part of it: API Gateway
// ignores them.
type gatewayResponse struct {
	StatusCode      *int                       `json:"statusCode"`
	Headers         map[string]json.RawMessage `json:"headers"`
	Cookies         []string                   `json:"cookies"`
	Body            string                     `json:"body"`
	IsBase64Encoded bool                       `json:"isBase64Encoded"`
}

// respond writes a function's answer.
func respond(w http.ResponseWriter, r *http.Request, answer []byte) {
	resp, ok := parse(answer)
	if !ok {
		slog.WarnContext(r.Context(), "function answered what is no response", "bytes", len(answer))
		say(w, http.StatusInternalServerError, "Internal Server Error")
		return
	}
	body := []byte(resp.Body)
	if resp.IsBase64Encoded {
		decoded, err := base64.StdEncoding.DecodeString(resp.Body)
		if err != nil {
			slog.WarnContext(r.Context(), "function answered broken base64", "err", err)
			say(w, http.StatusInternalServerError, "Internal Server Error")
			return
		}
		body = decoded
	}
	for name, value := range resp.Headers {
		w.Header().Set(name, text(value))
	}
	for _, c := range resp.Cookies {
		w.Header().Add("Set-Cookie", c)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(*resp.StatusCode)
	_, _ = w.Write(body) // a client that went away is no failure of ours
}

// parse reads an answer. JSON without a status code is a body with status 200, as API Gateway infers.
func parse(answer []byte) (gatewayResponse, bool) {
	var resp gatewayResponse
	if err := json.Unmarshal(answer, &resp); err == nil && resp.StatusCode != nil {
		return resp, *resp.StatusCode >= 200 && *resp.StatusCode < 600
	}
	if !json.Valid(answer) {
		return resp, false
	}
	status, body := http.StatusOK, string(answer)
	var plain string
	if json.Unmarshal(answer, &plain) == nil {
		body = plain
	}
	return gatewayResponse{
		StatusCode: &status, Body: body,
		Headers: map[string]json.RawMessage{"content-type": json.RawMessage(`"application/json"`)},
	}, true
}

// text is a header's value, which may also be a number or a boolean.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// say answers in API Gateway's own words.
func say(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": message}) // two strings always encode
}
