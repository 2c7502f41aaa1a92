package api

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/profile"
)

// filesDoc explains the two forms of an upload.
const filesDoc = "A small file is sent as `multipart/form-data` in a part called `file`; the whole body may have 4.4 MB. A larger one is " +
	"announced as JSON, and the answer holds the request that brings the bytes: send it with the given method and headers, without " +
	"the API key, before it expires.\n\nThe answer has the id of the job to be. The job itself appears once the bytes are there and were " +
	"taken in; until then asking for it is answered 404 `job.not-found`. An announced file that does not come within 30 days is forgotten."

const (
	profileDoc = "The profile to sign by; `default` if it is left out."
	formatDoc  = "The signature's format; the profile's own if it is left out."
)

// formats are the words for a format, as a schema lists them.
func formats() []any {
	var words []any
	for _, f := range profile.Formats {
		words = append(words, string(f))
	}
	return words
}

// filesParameters describes the query. The words stand only here: huma would refuse others with a code that is not theirs.
func filesParameters() []*huma.Param {
	text := func(words ...any) *huma.Schema { return &huma.Schema{Type: "string", Enum: words} }
	return []*huma.Param{
		{Name: "profile", In: "query", Description: profileDoc + " Only with a multipart body.", Schema: text()},
		{Name: "format", In: "query", Description: formatDoc + " Only with a multipart body.", Schema: text(formats()...)},
	}
}

// filesBody describes the two forms.
func filesBody(r huma.Registry) *huma.RequestBody {
	announced := r.Schema(reflect.TypeFor[announcement](), true, "Announcement")
	r.SchemaFromRef(announced.Ref).Properties["format"].Enum = append(formats(), nil)
	file := &huma.Schema{Type: "string", Format: "binary", Description: "The file, with its name."}
	form := &huma.Schema{Type: "object", Properties: map[string]*huma.Schema{"file": file}, Required: []string{"file"}}
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"multipart/form-data": {Schema: form},
		"application/json":    {Schema: announced},
	}}
}
