package local

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/lacuna/lacunatest"
	"bulksigner/internal/profile"
)

// How quick the fake Lacuna Signer is about a document that everybody has signed. The real one tells of it after a minute.
const (
	concluding     = 500 * time.Millisecond
	tellsConcluded = time.Second
)

// FolderName is what the folder is called whose documents the profile "board" signs.
const FolderName = "Diretoria"

// Signer is the fake Lacuna Signer: its people act by themselves, as PeopleDo says, and it sends notifications to the service.
type Signer struct {
	*lacunatest.Signer
	URL    string
	Folder string // id of the folder whose documents the profile "board" signs

	secret string // shown by notifications
	server *http.Server
	stop   context.CancelFunc
	ended  chan error // has the ends of the server and of the deliveries
}

// startSigner starts the fake with certificates of an authority. Until listenTo it tells nobody what happens there.
func startSigner(pki *icpbrasiltest.PKI) (*Signer, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen as Lacuna Signer: %w", err)
	}
	fake := lacunatest.New(lacunatest.Options{
		Key: "bulksigner-local|" + rand.Text(), PKI: pki, People: new(people).decide,
		Concluding: concluding, Sending: lacunatest.Sending{Concluded: tellsConcluded},
	})
	s := &Signer{
		Signer: fake, URL: "http://" + ln.Addr().String(), secret: rand.Text() + rand.Text(),
		server: &http.Server{Handler: fake, ReadHeaderTimeout: 10 * time.Second}, ended: make(chan error, 2),
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	go func() { s.ended <- s.server.Serve(ln) }()
	go func() { s.ended <- fake.Run(ctx) }()
	if s.Folder, err = fake.AddFolder(FolderName, ""); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// listenTo has the service at a URL be told of what happens from now on.
func (s *Signer) listenTo(service string) {
	s.SetWebhook("bulksigner", lacunatest.Webhook{URL: service + notificationsPath, AuthType: lacunatest.Bearer, Token: s.secret})
}

// Secret is what notifications show to the service.
func (s *Signer) Secret() string { return s.secret }

// Create has somebody create a document in the folder, for people to sign one after the other, and returns its id.
func (s *Signer) Create(name, fileName, mediaType string, content []byte, who ...profile.Participant) (string, error) {
	d := lacunatest.Document{Name: name, FileName: fileName, MIME: mediaType, Content: content, FolderID: s.Folder}
	for i, p := range who {
		d.Actions = append(d.Actions, lacunatest.Action{Step: i + 1, Participant: p})
	}
	return s.AddDocument(d)
}

func (s *Signer) close() error {
	s.stop()
	s.Signer.Close()
	err := s.server.Close()
	for range cap(s.ended) {
		if end := <-s.ended; !errors.Is(end, http.ErrServerClosed) && !errors.Is(end, context.Canceled) {
			err = errors.Join(err, end)
		}
	}
	return err
}
