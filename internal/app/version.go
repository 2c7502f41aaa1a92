package app

import (
	"context"
	"log/slog"
	"runtime"
)

// version is set when a release is linked: -ldflags "-X bulksigner/internal/app.version=v1.2.3".
var version = "dev"

// Version is the release that this program is of, or "dev" for one that was built by hand.
func Version() string { return version }

// started tells, once per environment, what runs here: whoever reads a log finds out which release wrote it.
func started(ctx context.Context) {
	slog.InfoContext(ctx, "function starts", "version", version, "go", runtime.Version())
}
