package redact_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/redact"
)

const secret = "swordfish-of-tests"

// logged is what a handler writes, without time and level.
func logged(do func(l *slog.Logger)) string {
	var b bytes.Buffer
	h := slog.NewJSONHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
			return slog.Attr{}
		}
		return a
	}})
	do(slog.New(redact.New(secret).Handler(h)))
	return strings.TrimSuffix(b.String(), "\n")
}

// word is a text of a type of its own.
type word string

// late shows itself only when it is logged.
type late struct{}

func (late) LogValue() slog.Value { return slog.StringValue("late " + secret) }

// broken has a method that a nil pointer does not survive.
type broken struct{ text string }

func (b *broken) Error() string { return b.text }

type settings struct {
	Name   string
	ApiKey string
	Deep   map[string][]string
}

func TestHandler(t *testing.T) {
	t.Parallel()
	var none *broken
	tests := []struct {
		name string
		do   func(l *slog.Logger)
		want string
	}{
		{"nothing", func(l *slog.Logger) {
			l.Info("job ended", "job", "0194f3c2", "n", 52998224725, "took", time.Second, "ok", true)
		},
			`{"msg":"job ended","job":"0194f3c2","n":52998224725,"took":1000000000,"ok":true}`},
		{"the message", func(l *slog.Logger) { l.Info("open " + secret + " of ana@example.com") }, `{"msg":"open *** of a***@example.com"}`},
		{"names", func(l *slog.Logger) {
			l.Info("m", "ApiKey", "a", "API_KEY", "b", "x-api-key", "c", "oldPassword", 1, "pin", true, "Set-Cookie", "d", "holderCpf", "e",
				"accountKey", "f", "ConnectionString", "g", "authorization", "h", "salt", "i", "licenseText", "j", "tokens", "k", "clientSecret", "l")
		}, `{"msg":"m","ApiKey":"***","API_KEY":"***","x-api-key":"***","oldPassword":"***","pin":"***","Set-Cookie":"***","holderCpf":"***",` +
			`"accountKey":"***","ConnectionString":"***","authorization":"***","salt":"***","licenseText":"***","tokens":"***","clientSecret":"***"}`},
		{"texts", func(l *slog.Logger) {
			l.Info("m", "a", "x"+secret, "b", word(secret), "c", "12149-4", "d", word("Queued"))
		},
			`{"msg":"m","a":"x***","b":"***","c":"***149-4","d":"Queued"}`},
		{"errors", func(l *slog.Logger) {
			l.Info("m", "err", &url.Error{Op: "Get", URL: "https://x/?k=" + secret, Err: errors.New("of 529.982.247-25")}, "also", errors.New("fine"))
		}, `{"msg":"m","err":"Get \"https://x/?k=***\": of ***.***.***-25","also":"fine"}`},
		{"groups", func(l *slog.Logger) {
			l.Info("m", slog.Group("g", "a", 1, "b", slog.GroupValue(slog.String("c", secret), slog.String("token", "t"))), slog.Group("cookies", "a", 1))
		}, `{"msg":"m","g":{"a":1,"b":{"c":"***","token":"***"}},"cookies":"***"}`},
		{"any values", func(l *slog.Logger) {
			l.Info("m", "s", settings{"ana@example.com", "k", map[string][]string{"x": {"a", secret}}}, "l", []string{"a", "b"}, "n", []int{1}, "z", nil)
		}, `{"msg":"m","s":{"ApiKey":"***","Deep":{"x":["a","***"]},"Name":"a***@example.com"},"l":["a","b"],"n":[1],"z":null}`},
		{"large numbers stay", func(l *slog.Logger) {
			l.Info("m", "a", map[string]any{"n": json.Number("9007199254740993"), "s": secret})
		},
			`{"msg":"m","a":{"n":9007199254740993,"s":"***"}}`},
		{"what shows late", func(l *slog.Logger) { l.Info("m", "a", late{}) }, `{"msg":"m","a":"late ***"}`},
		{"what cannot be shown", func(l *slog.Logger) { l.Info("m", "a", none, "b", func() {}) },
			`{"msg":"m","a":"<nil>","b":"!ERROR:json: unsupported type: func()"}`},
		{"attributes of a logger", func(l *slog.Logger) { l.With("a", secret, "pin", 1).Info("m", "b", "c") }, `{"msg":"m","a":"***","pin":"***","b":"c"}`},
		{"groups of a logger", func(l *slog.Logger) { l.WithGroup("g").Info("m", "a", secret) }, `{"msg":"m","g":{"a":"***"}}`},
		{"a group that speaks of secrets", func(l *slog.Logger) { l.WithGroup("Secrets").With("a", 1).WithGroup("x").Info("m", "b", "c") },
			`{"msg":"m","Secrets":{"a":"***","x":{"b":"***"}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := logged(tt.do); got != tt.want {
				t.Errorf("logged\n%s, want\n%s", got, tt.want)
			}
		})
	}
}

// TestCleanLinesCostNothing: a line of ours without anything to hide takes no memory.
func TestCleanLinesCostNothing(t *testing.T) {
	ctx := t.Context()
	l := slog.New(redact.New(secret, "another secret of tests").Handler(slog.NewJSONHandler(io.Discard, nil)))
	err := errors.New("read the object: 404")
	got := testing.AllocsPerRun(100, func() { line(ctx, l, err) })
	plain := slog.New(slog.NewJSONHandler(io.Discard, nil))
	want := testing.AllocsPerRun(100, func() { line(ctx, plain, err) })
	if race { // whose pools forget at random
		want += 20
	}
	if got > want {
		t.Errorf("a clean line takes %v allocations, want the %v of the handler behind", got, want)
	}
}

// line is what a run logs of a job.
func line(ctx context.Context, l *slog.Logger, err error) {
	l.LogAttrs(ctx, slog.LevelInfo, "job ended", slog.String("job", "0194f3c2-5b1e-7c40-9d3a-6f2b8e1a4c57"), slog.Any("status", word("Completed")),
		slog.Duration("took", time.Second), slog.Any("err", err), slog.String("request", "8476a536-e9f4-11e8-9739-2dfe598c3fcd"))
}

func BenchmarkLine(b *testing.B) {
	secrets := []string{secret, "application|0123456789abcdef", "a bearer of thirty-two characters", "a key of thirty-two characters.."}
	discard := slog.NewJSONHandler(io.Discard, nil)
	handlers := map[string]slog.Handler{"plain": discard, "redacted": redact.New(secrets...).Handler(discard)}
	for _, name := range []string{"plain", "redacted"} {
		b.Run(name, func(b *testing.B) {
			l, err := slog.New(handlers[name]), errors.New("read the object: 404")
			b.ReportAllocs()
			for b.Loop() {
				line(b.Context(), l, err)
			}
		})
	}
}
