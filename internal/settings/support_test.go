package settings_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// quote writes s as a JSON string.
func quote(t testing.TB, s string) string {
	t.Helper()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// numbered makes n unknown keys.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"Unknown%04d":0`, i)
	}
	return b.String()
}
