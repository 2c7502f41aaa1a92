package lacuna

import "bulksigner/internal/job"

// What the fuzz tests and tables read without a server.
var (
	ParseDocument  = parseDocument
	ParseFolder    = parseFolder
	ParseCreated   = parseCreated
	ParseUploaded  = parseUploaded
	ParseStarted   = parseStarted
	ParseHanded    = parseHanded
	ParseActionURL = parseActionURL
	Shown          = shown
	ContentType    = contentType
)

// ParsePage reads a page as documents.
func ParsePage(b []byte) (rows []job.ListedDocument, total int, err error) {
	m, err := parsePage(b)
	for _, e := range m.Items.items {
		rows = append(rows, e.document())
	}
	return rows, int(m.TotalCount), err
}

// ErrorCode is the code of an error model.
var ErrorCode = errorCode
