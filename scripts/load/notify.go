package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"bulksigner/internal/local"
	"bulksigner/internal/profile"
)

// rung is how many documents the extra notifications tell of. It is never the service's turn to sign them.
const rung = 100

// before are those who sign a document before the holder.
func before(n int) []profile.Participant {
	if n%3 == 2 {
		return []profile.Participant{local.Witness}
	}
	return nil
}

// prepare creates the documents that the extra notifications tell of: in the service's folder,
// where somebody is to sign first who never comes.
func (l *load) prepare() error {
	for n := range rung {
		name := fmt.Sprintf("Ata parada %03d", n)
		id, err := l.service.Signer.Create(name, name+".pdf", "application/pdf", l.papers[0], local.Witness, local.Holder())
		if err != nil {
			return err
		}
		l.waiting = append(l.waiting, id)
	}
	return nil
}

// notification is one that is posted beside those of the fake Lacuna Signer, and how it must be answered.
type notification struct {
	name   string
	want   int
	bearer string
	body   any
}

// told is a document as a notification tells of it.
type told struct {
	ID     string `json:"id"`
	Folder place  `json:"folder"`
}

type place struct {
	ID string `json:"id"`
}

// event is a notification's body.
type event struct {
	Type string `json:"type"`
	Data any    `json:"data"`
}

// next makes a notification: of ten, four call for a check, two tell of documents that are not ours, one of another folder,
// one is of no known type, and two are forged.
func (l *load) next(n int) notification {
	ours := told{l.waiting[l.dice(len(l.waiting))], place{l.service.Signer.Folder}}
	created := event{"DocumentsCreated", map[string]any{"documents": []told{ours}}}
	secret := l.service.Signer.Secret()
	switch n % 10 {
	case 0, 2, 4, 6:
		return notification{"notification that calls for a check", http.StatusAccepted, secret, event{"DocumentSigned", ours}}
	case 1, 5:
		return notification{"notification of an unknown document", http.StatusNoContent, secret, event{"DocumentConcluded", told{ID: uuid.NewString()}}}
	case 3:
		elsewhere := told{uuid.NewString(), place{uuid.NewString()}}
		return notification{"notification of another folder", http.StatusNoContent, secret, event{"DocumentSigned", elsewhere}}
	case 7:
		return notification{"notification of an unknown type", http.StatusNoContent, secret, event{"DocumentFramed", ours}}
	}
	return notification{"forged notification", http.StatusUnauthorized, secret[1:], created}
}

// notify posts a notification and notes the answer.
func (l *load) notify(ctx context.Context, n int, due time.Time) error {
	note := l.next(n)
	body, err := json.Marshal(note.body)
	if err != nil {
		return err
	}
	header := http.Header{"Content-Type": {"application/json; charset=utf-8"}, "Authorization": {"Bearer " + note.bearer}}
	status, said, err := l.client.send(ctx, http.MethodPost, "/api/signer/notifications", header, body)
	l.answers.add(note.name, time.Since(due), answer{status, codeOf(said)}, note.want)
	if errors.Is(err, context.Canceled) {
		return err
	}
	return nil // nobody answered: that is noted
}
