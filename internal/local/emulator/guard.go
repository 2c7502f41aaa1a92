package emulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"bulksigner/internal/aws/schema"
)

// maxTableBody is above what DynamoDB takes: a batch of 16 MB.
const maxTableBody = 20 << 20

// guard stands before kumo's DynamoDB. It writes expressions on one line, because kumo ignores what follows a line
// break, and refuses what kumo would get wrong without a word, or take although DynamoDB refuses it.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxTableBody))
		if err != nil {
			refuse(w, "SerializationException", "the request cannot be read: "+err.Error())
			return
		}
		if body, err = guarded(body); err != nil {
			refuse(w, "ValidationException", err.Error())
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.ContentLength = int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		next.ServeHTTP(w, r)
	})
}

// addChecksum puts DynamoDB's checksum on an answer. kumo has none, and the SDK complains about each answer without.
func addChecksum(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxTableBody+1))
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if len(body) > maxTableBody {
		return errors.New("the answer is larger than DynamoDB's answers are")
	}
	if err := resp.Body.Close(); err != nil {
		return fmt.Errorf("close the answer: %w", err)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
	resp.Header.Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10))
	return nil
}

// refuse answers as the JSON services do.
func refuse(w http.ResponseWriter, kind, message string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(http.StatusBadRequest)
	// An encoding of two strings does not fail, and a client that went away is no failure of ours.
	_ = json.NewEncoder(w).Encode(map[string]string{"__type": kind, "message": message})
}

// guarded returns a request as kumo understands it. Numbers stay as they were written.
func guarded(body []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var request map[string]any
	if err := d.Decode(&request); err != nil {
		return nil, fmt.Errorf("the request is no JSON object: %w", err)
	}
	if err := checkTransaction(request); err != nil {
		return nil, err
	}
	if err := walk(request); err != nil {
		return nil, err
	}
	return json.Marshal(request)
}

// walk checks every object that has expressions, at any depth: transactions and batches hold several.
func walk(v any) error {
	switch x := v.(type) {
	case map[string]any:
		if err := checkExpressions(x); err != nil {
			return err
		}
		for _, e := range x {
			if err := walk(e); err != nil {
				return err
			}
		}
	case []any:
		for _, e := range x {
			if err := walk(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkExpressions puts the expressions of one request on one line each and checks them.
func checkExpressions(request map[string]any) error {
	var all []string
	for name, v := range request {
		text, ok := v.(string)
		if !ok || !strings.HasSuffix(name, "Expression") {
			continue
		}
		text = strings.Join(strings.Fields(text), " ")
		request[name] = text
		all = append(all, text)
		if name == "UpdateExpression" {
			if err := checkUpdate(text); err != nil {
				return err
			}
		}
	}
	return checkPlaceholders(strings.Join(all, " "), request)
}

// limits are the update expressions that kumo gets wrong.
var limits = []struct {
	what    string
	pattern *regexp.Regexp
}{
	{"list_append", regexp.MustCompile(`(?i)\blist_append\b`)},
	{"an element of a list", regexp.MustCompile(`\[\d+\]`)},
	{"a member of a map", regexp.MustCompile(`[#:\w]\.[#\w]`)},
	{"a copy of another attribute", regexp.MustCompile(`(?i)=\s*[#\w]+\s*(,|$|REMOVE|ADD|DELETE)`)},
	{"an operator without blanks around it", regexp.MustCompile(`[^\s<>]=|=\S|\S\+|\+\S|\S-|-\S`)},
}

func checkUpdate(text string) error {
	for _, l := range limits {
		if l.pattern.MatchString(text) {
			return fmt.Errorf("the local emulator cannot run an update with %s: %s", l.what, text)
		}
	}
	return nil
}

var placeholder = regexp.MustCompile(`[#:]\w+`)

// checkPlaceholders refuses names and values that are used but not defined, or defined but not used, as DynamoDB does.
func checkPlaceholders(text string, request map[string]any) error {
	used := placeholder.FindAllString(text, -1)
	defined := map[string]bool{}
	for _, field := range []string{"ExpressionAttributeNames", "ExpressionAttributeValues"} {
		values, _ := request[field].(map[string]any)
		for name := range values {
			if defined[name] = true; !slices.Contains(used, name) {
				return fmt.Errorf("%s has a value that no expression uses: %s", field, name)
			}
		}
	}
	for _, name := range used {
		if !defined[name] {
			return fmt.Errorf("an expression uses a name or value that is not defined: %s", name)
		}
	}
	return nil
}

var errSameItem = errors.New("a transaction cannot have several operations on one item")

// checkTransaction refuses two actions on one item, which DynamoDB refuses and kumo does not.
func checkTransaction(request map[string]any) error {
	items, _ := request["TransactItems"].([]any)
	seen := map[string]bool{}
	for _, item := range items {
		actions, _ := item.(map[string]any)
		for _, a := range actions {
			action, _ := a.(map[string]any)
			key, err := itemKey(action)
			if err != nil {
				return err
			}
			if seen[key] {
				return errSameItem
			}
			seen[key] = true
		}
	}
	return nil
}

// itemKey names the item of an action: its table and key. A put has its key inside the item.
func itemKey(action map[string]any) (string, error) {
	key, ok := action["Key"].(map[string]any)
	if !ok {
		key, _ = action["Item"].(map[string]any)
	}
	name, err := json.Marshal([]any{action["TableName"], key[schema.PK], key[schema.SK]})
	if err != nil {
		return "", fmt.Errorf("name an item: %w", err)
	}
	return string(name), nil
}
