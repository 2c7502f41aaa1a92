package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/settings"
)

func TestOnlyKnownRootsAreKept(t *testing.T) {
	t.Parallel()
	pki, err := icpbrasiltest.New(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	der := pki.Root.Raw
	sum := sha256.Sum256(der)
	known := hex.EncodeToString(sum[:])
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/der":
			w.Write(der)
		case "/pem":
			pem.Encode(w, &pem.Block{Type: "CERTIFICATE", Bytes: der})
		case "/other":
			w.Write(pki.Chain[0].Raw)
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	for path, good := range map[string]bool{"/der": true, "/pem": true, "/other": false, "/none": false} {
		out := filepath.Join(t.TempDir(), "roots.pem")
		err := run(t.Context(), site.Client(), []root{{"known", site.URL + "/der", known}, {"asked", site.URL + path, known}}, out)
		if (err == nil) != good {
			t.Errorf("%s: run = %v, want success %t", path, err, good)
		}
		b, rerr := os.ReadFile(out)
		if (rerr == nil) != good {
			t.Errorf("%s: a file was written: %t, want %t", path, rerr == nil, good)
		}
		if anchors, err := settings.ParseAnchors(b); good && (err != nil || len(anchors) == 0) {
			t.Errorf("%s: the settings read %d anchors, %v", path, len(anchors), err)
		}
	}
}

func TestFingerprintsAreWhole(t *testing.T) {
	t.Parallel()
	for _, r := range roots {
		if b, err := hex.DecodeString(r.sha256); err != nil || len(b) != sha256.Size || strings.ToLower(r.sha256) != r.sha256 {
			t.Errorf("%s: %q is no SHA-256 fingerprint", r.name, r.sha256)
		}
	}
}
