package bsenc_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"bulksigner/internal/bsenc"
	"bulksigner/internal/sign/signtest"
)

// question is what Node.js is asked.
type question struct {
	Mode       string `json:"mode"`
	Password   string `json:"password"`
	Salt       []byte `json:"salt"`
	Iterations int    `json:"iterations"`
	Data       []byte `json:"data"`
}

// ask returns what Node.js makes of data.
func ask(t *testing.T, mode string, data []byte) ([]byte, error) {
	t.Helper()
	in, err := json.Marshal(question{mode, password, []byte(salt), iterations, data})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), signtest.Tool(t, "node", "nodejs"), "testdata/judge.cjs")
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(string(out))
}

// TestNodeAgrees has another implementation open our envelopes, refuse spoilt ones, and make some for us.
func TestNodeAgrees(t *testing.T) {
	t.Parallel()
	for name, plaintext := range map[string]string{
		"nothing": "", "one byte": "x", "one block": strings.Repeat("x", 16), "many": strings.Repeat("São Paulo ", 30_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ours := seal(t, plaintext)
			if got, err := ask(t, "open", ours); err != nil || string(got) != plaintext {
				t.Errorf("Node.js opens ours as %d bytes, %v, want %d", len(got), err, len(plaintext))
			}
			ours[len(ours)-1] ^= 1
			if _, err := ask(t, "open", ours); err == nil {
				t.Error("Node.js opens what is spoilt: it is no judge")
			}
			theirs, err := ask(t, "seal", []byte(plaintext))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := bsenc.Open(testKey(t), theirs); err != nil || string(got) != plaintext {
				t.Errorf("theirs opens as %d bytes, %v, want %d", len(got), err, len(plaintext))
			}
		})
	}
}
