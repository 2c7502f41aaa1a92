package app

import (
	"slices"
	"strings"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
)

// uploads is the folder of what the API takes in.
const uploads = "uploads"

// uploadName is the file's name in the key of an upload: uploads/<job id>/<name>.
func uploadName(key string) (string, bool) {
	rest, ok := strings.CutPrefix(key, job.UploadPrefix)
	if !ok {
		return "", false
	}
	_, name, _ := strings.Cut(rest, "/")
	return name, true
}

// outermost drops the folders whose prefix begins with another's: listing that one lists them too.
func outermost(all []workflow.Folder) []workflow.Folder {
	inner := func(f workflow.Folder) bool {
		return slices.ContainsFunc(all, func(o workflow.Folder) bool {
			return o.Prefix != f.Prefix && strings.HasPrefix(f.Prefix, o.Prefix)
		})
	}
	return slices.DeleteFunc(slices.Clone(all), inner)
}
