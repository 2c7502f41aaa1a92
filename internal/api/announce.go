package api

import "bulksigner/internal/fault"

// maxAnnouncement is the largest JSON body: all that it can hold is a fraction of this.
const maxAnnouncement = 64 << 10

// announcement is a file whose bytes come later.
type announcement struct {
	FileName    string  `json:"fileName" doc:"The file's name, without a folder; at most 255 bytes."`
	Profile     *string `json:"profile,omitempty" nullable:"true" doc:"The profile to sign by; default if it is left out."`
	Format      *string `json:"format,omitempty" nullable:"true" doc:"The signature's format: Pades, Cades or Xades; the profile's own if it is left out."`
	ContentType *string `json:"contentType,omitempty" nullable:"true" doc:"The media type that the bytes will be sent with; application/octet-stream if it is left out."`
}

// parseAnnouncement reads the JSON form. Every mistake is named, unknown fields among them.
func (s *server) parseAnnouncement(body []byte) (incoming, error) {
	if len(body) > maxAnnouncement {
		return incoming{}, fault.New(fault.RequestTooLarge, "a JSON body may have %d bytes", maxAnnouncement)
	}
	var a announcement
	if err := s.checks.announcement.decode(body, &a); err != nil {
		return incoming{}, err
	}
	f := incoming{name: a.FileName, profile: value(a.Profile), format: value(a.Format), contentType: binary, announced: true}
	if given := value(a.ContentType); given != "" {
		if f.contentType = mediaType(given); f.contentType != given {
			return incoming{}, fault.New(fault.RequestInvalid, "contentType is not a media type")
		}
	}
	return f, nil
}
