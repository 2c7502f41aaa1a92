package browser_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// pictured are the pages that docs/console.md shows, with what it says that they are called.
var pictured = []string{
	"login", "dashboard", "jobs", "job-completed", "job-failed", "job-cancel", "upload-rows", "input-rescan", "profiles", "profile-local",
	"profile-folder", "profile-refused", "events", "verify-verdict", "system", "settings", "clear",
}

const (
	tallest = 1600 // of a picture; what is further down is left out
	quality = 70
)

// looks are the languages and the colours of pictures.
var looks = []struct{ language, theme string }{{"en-US", "light"}, {"en-US", "dark"}, {"pt-BR", "light"}, {"pt-BR", "dark"}}

// pictureOf is the file of a picture.
func pictureOf(page, language, theme string) string {
	return fmt.Sprintf("%s.%s.%s.webp", page, language, theme)
}

// TestScreenshots takes the pictures of docs/console.md if it is told to update them. Otherwise it holds that all are there, and
// that the document shows them.
func TestScreenshots(t *testing.T) {
	if *update {
		takePictures(t)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "console.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range pictured {
		for _, look := range looks {
			file := pictureOf(name, look.language, look.theme)
			if info, err := os.Stat(filepath.Join(root, "docs", "console", file)); err != nil || info.Size() == 0 {
				t.Errorf("the picture %s is not there: %v", file, err)
			}
			if !strings.Contains(string(text), "(console/"+file+")") {
				t.Errorf("docs/console.md does not show %s", file)
			}
		}
	}
}

// takePictures shows each page in each look, one after the other.
func takePictures(t *testing.T) {
	t.Helper()
	for _, look := range looks {
		for _, p := range pages {
			if !slices.Contains(pictured, p.name) {
				continue
			}
			t.Run(p.name+" "+look.language+" "+look.theme, func(t *testing.T) {
				b := p.tab(t)
				b.language(look.language)
				b.theme(look.theme)
				p.in(b)
				b.must(os.WriteFile(filepath.Join(root, "docs", "console", pictureOf(p.name, look.language, look.theme)), b.picture(), 0o644))
			})
		}
	}
}

// picture is the page as it is seen.
func (b *tab) picture() []byte {
	b.Helper()
	b.do(script("document.activeElement?.blur(); scrollTo(0, 0)"))
	high := min(tallest, answer[float64](b, "document.documentElement.scrollHeight"))
	far := int64(quality)
	yes := true
	ctx, cancel := b.limited()
	defer cancel()
	shot, err := chromedp.Run(ctx, func(ctx context.Context, t *chromedp.Target) (page.CaptureScreenshotResult, error) {
		return cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{
			Format: page.CaptureScreenshotFormatWebp, Quality: &far, CaptureBeyondViewport: &yes,
			Clip: &page.Viewport{Width: width, Height: high, Scale: 1},
		})
	})
	b.must(err)
	return shot.Data
}
