package app

import (
	"context"
	"io"
	"log/slog"
	"os"

	"bulksigner/internal/redact"
)

// requestKey finds a request's id in its context.
type requestKey struct{}

// Request notes the id of the request that a context belongs to. Every log line of it says so.
func Request(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// logger writes JSON lines, to where Lambda collects them, without secrets and personal identifiers.
func logger(w io.Writer, r *redact.Redactor) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(os.Getenv("LOG_LEVEL"))); err != nil {
		level = slog.LevelInfo
	}
	return slog.New(r.Handler(requests{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})}))
}

// requests adds the request's id to what is logged.
type requests struct{ slog.Handler }

func (h requests) Handle(ctx context.Context, r slog.Record) error {
	named := false
	r.Attrs(func(a slog.Attr) bool { named = a.Key == "request"; return !named })
	if id, ok := ctx.Value(requestKey{}).(string); ok && id != "" && !named {
		r.AddAttrs(slog.String("request", id))
	}
	return h.Handler.Handle(ctx, r)
}

func (h requests) WithAttrs(a []slog.Attr) slog.Handler { return requests{h.Handler.WithAttrs(a)} }
func (h requests) WithGroup(n string) slog.Handler      { return requests{h.Handler.WithGroup(n)} }

// Exit ends a function that cannot start. Lambda shows the line as the reason of the failed initialization.
func Exit(err error) {
	slog.Error("function cannot start", "err", err)
	os.Exit(1)
}
