package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed static
var static embed.FS

// assetRoot begins the paths of assets. A name has the hash of the content in it, so that a browser may keep it for ever.
const assetRoot = "/assets/"

type asset struct {
	kind          string // its media type
	plain, packed []byte // packed: gzip
}

// assets are the assets by name, and names the names with their hashes by the files' own. Both are made when the first page is.
var assets = sync.OnceValue(func() (all struct {
	byName map[string]asset
	names  map[string]string
}) {
	all.byName, all.names = map[string]asset{}, map[string]string{}
	files, err := fs.Glob(static, "static/*")
	if err != nil {
		panic(err) // the pattern is right
	}
	for _, file := range files {
		b, err := static.ReadFile(file)
		if err != nil {
			panic(err) // it is embedded
		}
		hash, kind := sha256.Sum256(b), mime.TypeByExtension(path.Ext(file))
		base, ext := strings.TrimSuffix(path.Base(file), path.Ext(file)), path.Ext(file)
		name := base + "." + hex.EncodeToString(hash[:6]) + ext
		all.byName[name], all.names[path.Base(file)] = asset{kind, b, pack(b)}, name
	}
	return all
})

func pack(b []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is one
	}
	if _, err := w.Write(b); err != nil {
		panic(err) // memory takes everything
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// assetPath is where a file of static is served.
func assetPath(file string) string { return assetRoot + assets().names[file] }

func serveAsset(w http.ResponseWriter, r *http.Request) {
	a, ok := assets().byName[strings.TrimPrefix(r.URL.Path, assetRoot)]
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	if !ok || changes(r.Method) {
		http.NotFound(w, r)
		return
	}
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	body := a.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = a.packed
	}
	// The error is about a connection that is gone.
	_, _ = w.Write(body)
}
