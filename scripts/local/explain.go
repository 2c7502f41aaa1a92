package main

import (
	"fmt"
	"io"

	"bulksigner/internal/local"
)

// explain says how to go on by hand.
func explain(out io.Writer, s *local.Service) {
	fmt.Fprintf(out, `The operators' console is at %[1]s until Ctrl-C; sign in with the key %[2]s

The REST API answers there, too, with the same key:

  curl -H 'X-API-Key: %[2]s' %[1]s/api/jobs
  curl -H 'X-API-Key: %[2]s' -F file=@document.pdf '%[1]s/api/files?profile=contracts'
  curl -H 'X-API-Key: %[2]s' %[1]s/api/ready/details
  curl %[1]s/api/openapi.json

Files also arrive through S3, at %[3]s with credentials local / local-secret and region sa-east-1, in bucket %[4]s
under contracts/, invoices/, letters/, inbox/, hr/ and remote/. Signed documents appear in bucket %[5]s.
Everything is in %[6]s: objects in aws/, what the functions log in logs/, settings and the test root in config/.

`, s.URL, s.APIKey, s.EmulatorURL(), s.Input, s.Output, s.Dir)
	explainSigner(out, s.Signer)
}

// explainSigner says how to go on at Lacuna Signer.
func explainSigner(out io.Writer, s *local.Signer) {
	holder := local.Holder()
	fmt.Fprintf(out, `What arrives under hr/ or remote/, or with profile=hr, is for people at a fake Lacuna Signer:
%[1]s.
What is created in its folder "Diretoria" for %[2]s to sign is signed within seconds, by the key of profile board:

  SIGNER=%[3]s SIGNER_KEY='%[4]s'
  UPLOAD_ID=$(curl -s -H "X-Api-Key: $SIGNER_KEY" -F file=@document.pdf $SIGNER/api/uploads | sed 's/.*"id":"\([^"]*\)".*/\1/')
  curl -H "X-Api-Key: $SIGNER_KEY" -H 'Content-Type: application/json' $SIGNER/api/documents -d '{"folderId":"%[5]s",
    "files":[{"id":"'$UPLOAD_ID'","name":"document.pdf","displayName":"Documento","contentType":"application/pdf"}],
    "flowActions":[{"type":"Signer","step":1,"user":{"name":"%[2]s","identifier":"%[6]s","email":"%[7]s"}}]}'

`, local.PeopleDo, holder.Name, s.URL, s.Key(), s.Folder, holder.Identifier, holder.Email)
}
