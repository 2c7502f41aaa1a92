package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed static
var static embed.FS

// assetRoot begins the paths of assets. A name has the hash of the content in it, so that a browser may keep it for ever.
const assetRoot = "/assets/"

// kinds are the media types of assets. The machine's own table may have others, which browsers would refuse.
var kinds = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",
}

type asset struct {
	kind   string // its media type
	plain  []byte
	packed func() []byte // gzip
}

// shelf has the assets by name, and the names with their hashes by the files' own.
type shelf struct {
	byName map[string]asset
	names  map[string]string
}

// assets are made when the first page needs their names. What they are compressed to waits until somebody asks for it.
var assets = sync.OnceValue(func() shelf {
	all := shelf{byName: map[string]asset{}, names: map[string]string{}}
	files, err := fs.Glob(static, "static/*")
	if err != nil {
		panic(err) // the pattern is right
	}
	for _, file := range files {
		b, err := static.ReadFile(file)
		if err != nil {
			panic(err) // it is embedded
		}
		hash, base, ext := sha256.Sum256(b), path.Base(file), path.Ext(file)
		name := strings.TrimSuffix(base, ext) + "." + hex.EncodeToString(hash[:6]) + ext
		all.names[base] = name
		all.byName[name] = asset{kinds[ext], b, sync.OnceValue(func() []byte { return pack(b) })}
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
	everywhere(h)
	if !ok || changes(r.Method) {
		http.NotFound(w, r)
		return
	}
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	body := a.plain
	if takesGzip(r) {
		h.Set("Content-Encoding", "gzip")
		body = a.packed()
	}
	// The error is about a connection that is gone.
	_, _ = w.Write(body)
}
