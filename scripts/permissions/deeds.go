package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/lacuna/lacunatest"
	"bulksigner/internal/local/demo"
	"bulksigner/internal/local/emulator"
	"bulksigner/internal/local/host"
	"bulksigner/internal/profile"
)

// deeds are everything that is done to the service, in this order.
var deeds = []struct {
	says string
	do   func(context.Context, *trial) error
}{
	{"the samples of make run", samples},
	{"a profile that cannot sign, and then can", degraded},
	{"a sealed and encrypted output, a key in a file, a key for Lacuna Signer in a secret", kept},
	{"messages that nobody can read", garbled},
	{"files handed to the API", handed},
	{"outputs and verdicts", fetched},
	{"what operators do to jobs", operated},
	{"profiles", profiles},
	{"everything that can be read", readAll},
	{"a process that is killed while it uploads, and its recovery", recovered},
	{"a file whose event was lost, rung for after two minutes", found},
	{"the records deleted", cleared},
	{"the schedules once more", ticked},
}

func samples(ctx context.Context, t *trial) error {
	d, err := t.demo(t.Service)
	if err != nil {
		return err
	}
	d.Out = new(bytes.Buffer)
	r, err := d.Run(ctx)
	if err == nil && r.Unexpected > 0 {
		err = fmt.Errorf("%d did not end as expected:\n%s", r.Unexpected, d.Out)
	}
	return err
}

func found(ctx context.Context, t *trial) error {
	_, err := t.arrived(ctx, lost, "Completed")
	return err
}

// councilFolder is the folder at Lacuna Signer for whose documents the key is in a PKCS#12 file.
const councilFolder = "Conselho"

func kept(ctx context.Context, t *trial) error {
	for _, key := range []string{"sealed/Ata selada.pdf", "memos/Memorando.pdf"} {
		if err := t.drop(ctx, key, "carta.pdf"); err != nil {
			return err
		}
	}
	content, err := fs.ReadFile(t.files, "carta.pdf")
	if err != nil {
		return err
	}
	holder := icpbrasiltest.Maria()
	folder, err := t.folder(ctx, councilFolder)
	if err != nil {
		return err
	}
	_, err = t.Signer.AddDocument(lacunatest.Document{
		Name: "Ata do conselho", FileName: "ata.pdf", MIME: "application/pdf", Content: content, FolderID: folder,
		Actions: []lacunatest.Action{{Step: 1, Participant: profile.Participant{Name: holder.Name, Email: "m@example.com", Identifier: holder.CPF}}},
	})
	if err != nil {
		return err
	}
	for _, key := range []string{"sealed/Ata selada.pdf", "memos/Memorando.pdf", "Ata do conselho"} {
		if _, err := t.arrived(ctx, key, "Completed"); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

// folder is the id of a folder at Lacuna Signer, which the API looks up.
func (t *trial) folder(ctx context.Context, name string) (string, error) {
	var answer struct {
		Folders []struct{ ID, Name string }
	}
	if err := t.client.post(ctx, http.MethodGet, "/api/signer/folders?q="+name, 200, nil, &answer); err != nil {
		return "", err
	}
	for _, f := range answer.Folders {
		if f.Name == name {
			return f.ID, nil
		}
	}
	return "", fmt.Errorf("there is no folder %s", name)
}

// drop puts a sample into the input bucket.
func (t *trial) drop(ctx context.Context, key, sample string) error {
	content, err := fs.ReadFile(t.files, sample)
	if err != nil {
		return err
	}
	return t.put(ctx, key, content)
}

func (t *trial) put(ctx context.Context, key string, content []byte) error {
	_, err := t.Objects().PutObject(ctx, &s3.PutObjectInput{Bucket: &t.Input, Key: &key, Body: bytes.NewReader(content)})
	return err
}

// garbled sends all queues a message that is none of theirs, and the first one an event of a file that is gone. What is in
// the queues of dead letters is given back. Such messages come again, later each time.
func garbled(ctx context.Context, t *trial) error {
	gone := emulator.Object{Event: emulator.Put, Bucket: t.Input, Key: "contracts/sumiu.pdf", VersionID: "01JDP7", Size: 10}
	event, err := host.Encode(gone, host.Notification, time.Now(), 1)
	if err != nil {
		return err
	}
	bodies := map[string][]string{"work": {"no message", string(event)}, "checks": {"no message"}, "work-dead": {"no message"}, "checks-dead": {"no message"}}
	for name, all := range bodies {
		q, err := t.Queues().GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String("bulksigner-" + name)})
		if err != nil {
			return err
		}
		for _, body := range all {
			if _, err := t.Queues().SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: q.QueueUrl, MessageBody: &body}); err != nil {
				return err
			}
		}
	}
	for _, name := range []string{"work", "checks"} {
		if err := t.client.post(ctx, http.MethodPost, "/api/queues/"+name+"/redrive", 200, nil, nil); err != nil {
			return err
		}
	}
	return pause(ctx, 3*time.Second)
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// handed hands files to the API in both ways, and one of them twice.
func handed(ctx context.Context, t *trial) error {
	content, err := fs.ReadFile(t.files, "contrato.pdf")
	if err != nil {
		return err
	}
	var whole accepted
	for range 2 {
		said, err := t.client.hand(ctx, "/api/files?profile=contracts", "entregue.pdf", 202, content, "Idempotency-Key", "0b9d22c4")
		if err != nil {
			return err
		}
		if err := json.Unmarshal(said, &whole); err != nil {
			return err
		}
	}
	announced, err := t.announce(ctx, "anunciado.pdf", demo.Paper(6<<20, 1))
	if err != nil {
		return err
	}
	for _, id := range []string{whole.JobID, announced} {
		if _, err := t.await(ctx, id, "Completed"); err != nil {
			return err
		}
	}
	return nil
}

// announce hands a file in under a link, and returns the id of its job.
func (t *trial) announce(ctx context.Context, name string, content []byte) (string, error) {
	var a accepted
	if err := t.client.post(ctx, http.MethodPost, "/api/files", 202, object{"fileName": name, "profile": "contracts"}, &a); err != nil {
		return "", err
	}
	r, err := http.NewRequestWithContext(ctx, a.Upload.Method, a.Upload.URL, bytes.NewReader(content))
	if err != nil {
		return "", err
	}
	for name, value := range a.Upload.Headers {
		r.Header.Set(name, value)
	}
	_, err = send(r, 200)
	return a.JobID, err
}

// fetched fetches a small and a large output, has the small one judged, and asks for one that is gone.
func fetched(ctx context.Context, t *trial) error {
	c := demo.NewClient(t.URL, t.APIKey)
	rows, err := c.Jobs(ctx)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.Status != "Completed" || !strings.HasPrefix(r.OriginalPath, "uploads/") {
			continue
		}
		var b bytes.Buffer
		if err := c.Output(ctx, r.ID, &b); err != nil {
			return err
		}
		if b.Len() > 1<<20 {
			continue
		}
		if _, err := t.client.hand(ctx, "/api/verify", "a.pdf", 200, b.Bytes()); err != nil {
			return err
		}
		if err := t.lose(ctx, r.ID); err != nil {
			return err
		}
	}
	return nil
}

// lose removes the output of a job and asks for it.
func (t *trial) lose(ctx context.Context, id string) error {
	j, err := demo.NewClient(t.URL, t.APIKey).Job(ctx, id)
	if err != nil {
		return err
	}
	if _, err := t.Objects().DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &t.Output, Key: &j.OutputKey}); err != nil {
		return err
	}
	_, err = t.client.ask(ctx, http.MethodGet, "/api/jobs/"+id+"/output", http.StatusGone, nil, nil)
	return err
}

// degraded has a profile fail for want of its PKCS#12 file, and sign again once the file is there.
func degraded(ctx context.Context, t *trial) error {
	if err := t.drop(ctx, "memos/Primeiro.pdf", "carta.pdf"); err != nil {
		return err
	}
	if _, err := t.arrived(ctx, "memos/Primeiro.pdf", "Failed"); err != nil {
		return err
	}
	from, to := materials+"/"+absent, container
	if _, err := t.Objects().CopyObject(ctx, &s3.CopyObjectInput{Bucket: aws.String(materials), Key: &to, CopySource: &from}); err != nil {
		return err
	}
	if err := t.drop(ctx, "memos/Segundo.pdf", "carta.pdf"); err != nil {
		return err
	}
	_, err := t.arrived(ctx, "memos/Segundo.pdf", "Completed")
	return err
}
