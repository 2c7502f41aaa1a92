package redact

import (
	"bytes"
	"context"
	"encoding"
	"encoding/json"
	"log/slog"
	"reflect"
	"slices"
	"strings"
)

// words are what names of attributes that are never shown contain, in whatever case.
var words = []string{
	"password", "pin", "license", "apikey", "secret", "salt", "connectionstring", "authorization", "cookie", "cpf", "accountkey", "token",
}

// hides reports whether a name speaks of a secret. Most names are in lower case, and cost nothing.
func hides(name string) bool {
	if strings.ContainsAny(name, "_-") {
		name = strings.NewReplacer("_", "", "-", "").Replace(name)
	}
	name = strings.ToLower(name)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) })
}

// Handler hides and masks what is logged, and hands it to next. Values are looked at as JSON shows them.
func (r *Redactor) Handler(next slog.Handler) slog.Handler { return handler{next: next, texts: r} }

type handler struct {
	next  slog.Handler
	texts *Redactor
	all   bool // a group around speaks of secrets
}

// Enabled implements slog.Handler.
func (h handler) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }

// WithGroup implements slog.Handler.
func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.next.WithGroup(name), h.texts, h.all || hides(name)}
}

// WithAttrs implements slog.Handler. Secrets that become known later are not looked for in what is given here.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i], _ = h.attr(a)
	}
	return handler{h.next.WithAttrs(clean), h.texts, h.all}
}

// Handle implements slog.Handler. A record without anything to hide goes on as it is.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	message, dirty := h.texts.Text(r.Message), false
	r.Attrs(func(a slog.Attr) bool {
		_, dirty = h.attr(a)
		return !dirty
	})
	if !dirty && message == r.Message {
		return h.next.Handle(ctx, r)
	}
	clean := slog.NewRecord(r.Time, r.Level, message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		a, _ = h.attr(a)
		clean.AddAttrs(a)
		return true
	})
	return h.next.Handle(ctx, clean)
}

// attr cleans an attribute, and reports whether there was something to clean.
func (h handler) attr(a slog.Attr) (slog.Attr, bool) {
	if h.all || hides(a.Key) {
		return slog.String(a.Key, hidden), true
	}
	v, dirty := h.value(a.Value)
	if !dirty {
		return a, false
	}
	return slog.Attr{Key: a.Key, Value: v}, true
}

func (h handler) value(v slog.Value) (slog.Value, bool) {
	switch v = v.Resolve(); v.Kind() {
	case slog.KindString:
		return h.text(v, v.String())
	case slog.KindGroup:
		return h.group(v)
	case slog.KindAny:
		return h.any(v)
	}
	return v, false
}

// text compares what a value reads as with what may be read.
func (h handler) text(v slog.Value, s string) (slog.Value, bool) {
	if clean := h.texts.Text(s); clean != s {
		return slog.StringValue(clean), true
	}
	return v, false
}

func (h handler) group(v slog.Value) (slog.Value, bool) {
	attrs := v.Group()
	i := slices.IndexFunc(attrs, func(a slog.Attr) bool {
		_, dirty := h.attr(a)
		return dirty
	})
	if i < 0 {
		return v, false
	}
	attrs = slices.Clone(attrs)
	for j := i; j < len(attrs); j++ {
		attrs[j], _ = h.attr(attrs[j])
	}
	return slog.GroupValue(attrs...), true
}

// any looks at a value as the JSON handler will show it. One that cannot be shown is that handler's to explain: a method of
// a nil pointer panics there too.
func (h handler) any(v slog.Value) (clean slog.Value, dirty bool) {
	defer func() {
		if recover() != nil {
			clean, dirty = v, false
		}
	}()
	switch a := v.Any().(type) {
	case nil:
		return v, false
	case json.Marshaler:
		return h.encoded(v)
	case error:
		return h.text(v, a.Error())
	case encoding.TextMarshaler:
		return h.encoded(v)
	}
	switch value := reflect.ValueOf(v.Any()); {
	case value.Kind() == reflect.String: // a word of our own, like a status
		return h.text(v, value.String())
	case value.Kind() == reflect.Bool || value.CanInt() || value.CanUint() || value.CanFloat():
		return v, false
	}
	return h.encoded(v)
}

// encoded looks at a value as JSON. If that cannot be made, the other handler says why, but for what the reason quotes.
func (h handler) encoded(v slog.Value) (slog.Value, bool) {
	b, err := json.Marshal(v.Any())
	if err != nil {
		return h.text(v, err.Error())
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return slog.StringValue(hidden), true // no JSON after all
	}
	if tree, dirty := h.tree(tree); dirty {
		return slog.AnyValue(tree), true
	}
	return v, false
}

// tree cleans what JSON was read into.
func (h handler) tree(t any) (clean any, dirty bool) {
	switch t := t.(type) {
	case string:
		clean := h.texts.Text(t)
		return clean, clean != t
	case []any:
		for i, e := range t {
			clean, found := h.tree(e)
			t[i], dirty = clean, dirty || found
		}
	case map[string]any:
		for name, e := range t {
			clean, found := h.tree(e)
			if hides(name) {
				clean, found = hidden, true
			}
			t[name], dirty = clean, dirty || found
		}
	}
	return t, dirty
}
