package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"bulksigner/internal/local/demo"
)

// operated pauses the pipeline, cancels a job that waits, deletes one, tries one again, and has the folders searched.
func operated(ctx context.Context, t *trial) error {
	if err := t.client.post(ctx, http.MethodPost, "/api/pipeline/pause", 200, object{"reason": "demonstração"}, nil); err != nil {
		return err
	}
	content, err := fs.ReadFile(t.files, "carta.pdf")
	if err != nil {
		return err
	}
	id, err := t.announce(ctx, "cancelado.pdf", content)
	if err != nil {
		return err
	}
	if _, err := t.await(ctx, id, "Queued"); err != nil {
		return err
	}
	if err := t.client.post(ctx, http.MethodPost, "/api/jobs/"+id+"/cancel", 200, object{"reason": "demonstração"}, nil); err != nil {
		return err
	}
	if err := t.client.post(ctx, http.MethodPost, "/api/pipeline/resume", 200, nil, nil); err != nil {
		return err
	}
	if err := t.client.post(ctx, http.MethodDelete, "/api/jobs/"+id, 204, nil, nil); err != nil {
		return err
	}
	if err := t.again(ctx); err != nil {
		return err
	}
	return t.client.post(ctx, http.MethodPost, "/api/rescan", 200, nil, nil)
}

// encrypted is a sample that cannot be signed.
const encrypted = "contracts/protegido.pdf"

// again tries a job again that failed.
func (t *trial) again(ctx context.Context) error {
	rows, err := demo.NewClient(t.URL, t.APIKey).Jobs(ctx)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.OriginalPath == encrypted && r.Status == "Failed" {
			return t.client.post(ctx, http.MethodPost, "/api/jobs/"+r.ID+"/retry", 202, nil, nil)
		}
	}
	return fmt.Errorf("none of %d jobs is that of %s and has failed", len(rows), encrypted)
}

// kmsKey and pfxKey say where the key of a profile is.
func kmsKey(name string) object {
	return object{"source": "Kms", "kms": object{"keyId": "alias/" + name, "certificate": "s3://" + materials + "/" + name + ".pem"}}
}

func pfxKey(location, password string) object {
	return object{"source": "Pfx", "pfx": object{"location": location, "password": password}}
}

// profiles makes, changes and deletes profiles with each kind of key, and one of a person.
func profiles(ctx context.Context, t *trial) error {
	file, password, err := t.letters()
	if err != nil {
		return err
	}
	of := map[string]object{
		"novo-rsa":  {"format": "Pades", "certificate": kmsKey("contracts")},
		"novo-ecc":  {"format": "Pades", "certificate": kmsKey("invoices")},
		"novo-cpf":  {"format": "Pades", "certificate": kmsKey("board")},
		"novo-pfx":  {"format": "Pades", "certificate": pfxKey(file, password)},
		"novo-p12":  {"format": "Pades", "certificate": pfxKey("s3://"+materials+"/"+container, password)},
		"novo-selo": {"format": "Pades", "certificate": kmsKey("contracts"), "signature": object{"seal": object{"page": 1, "left": 50, "bottom": 50, "width": 200, "height": 60, "image": "s3://" + materials + "/seal.png"}}},
		"novo-pessoa": {"format": "Pades", "method": "LacunaSigner", "validateCertificate": false,
			"signer": object{"name": "Ana", "email": "ana@example.com", "identifier": "11144477735"}},
	}
	for name, body := range of {
		body["name"] = name
		if err := t.client.post(ctx, http.MethodPost, "/api/profiles", 201, body, nil); err != nil {
			return err
		}
		delete(body, "name")
		body["requirePolicy"] = false
		if err := t.client.post(ctx, http.MethodPut, "/api/profiles/"+name, 200, body, nil, "If-Match", "*"); err != nil {
			return err
		}
		if err := t.client.post(ctx, http.MethodDelete, "/api/profiles/"+name, 204, nil, nil, "If-Match", "*"); err != nil {
			return err
		}
	}
	return nil
}

// letters is where the PKCS#12 file and the password of profile letters are, from the settings of the run.
func (t *trial) letters() (file, password string, err error) {
	text, err := os.ReadFile(filepath.Join(t.Dir, "config", "settings.json"))
	if err != nil {
		return "", "", err
	}
	var s struct {
		Signing struct {
			Profiles []struct {
				Name        string
				Certificate struct {
					Pfx struct{ Location, Password string }
				}
			}
		}
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return "", "", err
	}
	for _, p := range s.Signing.Profiles {
		if p.Name == "letters" {
			return p.Certificate.Pfx.Location, p.Certificate.Pfx.Password, nil
		}
	}
	return "", "", errors.New("the settings have no profile letters")
}

// reads are the routes that only read.
var reads = []string{
	"/api/health", "/api/ready", "/api/ready/details", "/api/metrics", "/api/openapi.json", "/api/settings", "/api/statistics",
	"/api/jobs?pageSize=5", "/api/jobs?status=Failed&profile=contracts&pageSize=5", "/api/jobs?page=2&pageSize=5",
	"/api/folders", "/api/profiles", "/api/profiles/contracts", "/api/profiles/council", "/api/pipeline/state",
	"/api/events", "/api/events?eventType=PipelinePaused", "/api/events/types", "/api/signer/folders",
	"/api/overview", "/api/queues", "/api/certificates",
}

func readAll(ctx context.Context, t *trial) error {
	for _, path := range reads {
		if err := t.client.get(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// scan is larger than what is sent in one put.
const scan = 12 << 20

// recovered has the process that signs killed when it is about to complete an upload in parts, and lets time go by.
func recovered(ctx context.Context, t *trial) error {
	const key = "contracts/interrompido.pdf"
	caught := t.snare.set("sign", func(r *http.Request) bool {
		return r.Method == http.MethodPost && r.URL.Query().Has("uploadId")
	})
	if err := t.put(ctx, key, demo.Paper(scan, 2)); err != nil {
		return err
	}
	select {
	case <-caught:
	case <-time.After(patience):
		return fmt.Errorf("nobody has completed an upload of %s", key)
	}
	if n, err := t.Crash("sign"); err != nil {
		return err
	} else if n == 0 {
		return errors.New("no process of sign was at work")
	}
	j, err := t.arrived(ctx, key, "Verifying")
	if err != nil {
		return err
	}
	if err := outlived(ctx, t, j.ID); err != nil {
		return err
	}
	if err := t.Wake(ctx, "recover"); err != nil {
		return err
	}
	_, err = t.await(ctx, j.ID, "Failed")
	return err
}

// outlived has time go by for the dead run's claim on a job. While another run of the function is in hand, nobody can tell
// whose a claim is.
func outlived(ctx context.Context, t *trial, id string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		n, err := t.Outlive(ctx, []string{id})
		if err != nil || n > 0 {
			return err
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return fmt.Errorf("the claim of the dead run has not ended: %w", err)
		}
	}
}

// cleared deletes every record, and has recovery carry on.
func cleared(ctx context.Context, t *trial) error {
	return t.client.post(ctx, http.MethodDelete, "/api/jobs", 200, nil, nil)
}

// ticked wakes what the clock wakes, once no run of it is in hand: there is one process of each. The poll's runs last about
// as long as the time between them, so that it has run often enough.
func ticked(ctx context.Context, t *trial) error {
	for _, function := range []string{"recover", "sweep"} {
		for t.AtWork(function) > 0 {
			if err := pause(ctx, 100*time.Millisecond); err != nil {
				return err
			}
		}
		if err := t.Wake(ctx, function); err != nil {
			return err
		}
	}
	return nil
}
