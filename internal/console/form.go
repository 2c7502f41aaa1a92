package console

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"slices"

	"bulksigner/internal/fault"
)

// maxFiles is the longest form with files. The API takes less of it, and says how much.
const maxFiles = 4_500_000

// fileForm is a multipart form: its fields, and its files as a form of their own, since the API takes no fields.
type fileForm struct {
	fields map[string]string
	files  int
	kind   string // the content type of body
	body   *bytes.Buffer
}

// readFiles takes the visitor's form apart. Only parts with these names are files; one that nobody chose is left out. What
// a file is called is handed on as it came, so that the API can judge it.
func (v *visit) readFiles(names ...string) (fileForm, error) {
	parts, err := v.r.MultipartReader()
	if err != nil {
		return fileForm{}, unreadable
	}
	f := fileForm{fields: map[string]string{}, body: &bytes.Buffer{}}
	out := multipart.NewWriter(f.body)
	f.kind = out.FormDataContentType()
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return f, formError(err, fault.UploadTooLarge)
		}
		if err := f.add(out, part, names); err != nil {
			return f, formError(err, fault.UploadTooLarge)
		}
	}
	if err := out.Close(); err != nil {
		return f, err
	}
	return f, nil
}

func (f *fileForm) add(out *multipart.Writer, part *multipart.Part, names []string) error {
	content, err := io.ReadAll(part) // the body has its limit
	if err != nil {
		return err
	}
	if !slices.Contains(names, part.FormName()) {
		f.fields[part.FormName()] = string(content)
		return nil
	}
	if name, chosen := nameOf(part.Header); !chosen || name == "" && len(content) == 0 {
		return nil
	}
	w, err := out.CreatePart(part.Header)
	if err != nil {
		return err
	}
	f.files++
	_, err = w.Write(content)
	return err
}

// nameOf is what a part's file is called. Part.FileName would cut a folder off.
func nameOf(h textproto.MIMEHeader) (name string, ok bool) {
	_, params, err := mime.ParseMediaType(h.Get("Content-Disposition"))
	if err != nil {
		return "", false
	}
	name, ok = params["filename"]
	return name, ok
}

// readForm reads a form without files. Fields of one that was not read whole must not be used.
func (v *visit) readForm() error {
	if err := v.r.ParseForm(); err != nil {
		return formError(err, fault.RequestTooLarge)
	}
	return nil
}

// unreadable is the refusal of what is no form.
var unreadable = &problem{Status: http.StatusBadRequest, Code: fault.RequestInvalid, Detail: "the form cannot be read, or ends early"}

// formError tells a form that is too large from one that cannot be read.
func formError(err error, tooLarge fault.Code) error {
	limit, large := errors.AsType[*http.MaxBytesError](err)
	if !large {
		return unreadable
	}
	return &problem{Status: http.StatusRequestEntityTooLarge, Code: tooLarge, Detail: fmt.Sprintf("this form may have %d bytes", limit.Limit)}
}
