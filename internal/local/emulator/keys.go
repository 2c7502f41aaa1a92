package emulator

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/nsmithuk/local-kms/src/config"
	"github.com/nsmithuk/local-kms/src/data"
	"github.com/nsmithuk/local-kms/src/handler"
	"github.com/sirupsen/logrus"
)

// maxKMSBody is far above what KMS takes: the largest request is a policy of 32 KiB.
const maxKMSBody = 1 << 20

// local-kms reads these when it makes an ARN. They are set once, before anything can read them.
func init() { config.AWSAccountId, config.AWSRegion = Account, Region }

// operation is one call of the KMS API.
type operation = func(*handler.RequestHandler) handler.Response

// operations lists what is answered. local-kms finds its methods by reflection, and logs each call in colour to the
// standard error; a table does without both.
var operations = map[string]operation{
	"CancelKeyDeletion":               (*handler.RequestHandler).CancelKeyDeletion,
	"CreateAlias":                     (*handler.RequestHandler).CreateAlias,
	"CreateKey":                       (*handler.RequestHandler).CreateKey,
	"Decrypt":                         (*handler.RequestHandler).Decrypt,
	"DeleteAlias":                     (*handler.RequestHandler).DeleteAlias,
	"DescribeKey":                     (*handler.RequestHandler).DescribeKey,
	"DisableKey":                      (*handler.RequestHandler).DisableKey,
	"EnableKey":                       (*handler.RequestHandler).EnableKey,
	"Encrypt":                         (*handler.RequestHandler).Encrypt,
	"GenerateDataKey":                 (*handler.RequestHandler).GenerateDataKey,
	"GenerateDataKeyWithoutPlaintext": (*handler.RequestHandler).GenerateDataKeyWithoutPlaintext,
	"GenerateRandom":                  (*handler.RequestHandler).GenerateRandom,
	"GetKeyPolicy":                    (*handler.RequestHandler).GetKeyPolicy,
	"GetPublicKey":                    (*handler.RequestHandler).GetPublicKey,
	"ListAliases":                     (*handler.RequestHandler).ListAliases,
	"ListKeys":                        (*handler.RequestHandler).ListKeys,
	"ListResourceTags":                (*handler.RequestHandler).ListResourceTags,
	"PutKeyPolicy":                    (*handler.RequestHandler).PutKeyPolicy,
	"ScheduleKeyDeletion":             (*handler.RequestHandler).ScheduleKeyDeletion,
	"Sign":                            (*handler.RequestHandler).Sign,
	"TagResource":                     (*handler.RequestHandler).TagResource,
	"UpdateAlias":                     (*handler.RequestHandler).UpdateAlias,
	"Verify":                          (*handler.RequestHandler).Verify,
}

// keys is the emulated KMS.
type keys struct {
	db  *data.Database
	log *logrus.Logger
}

// openKeys opens the key store in dir. The library panics where the store cannot be opened, which becomes an error.
func openKeys(dir string) (k *keys, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("open the key store: %v", p)
		}
	}()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the key store: %w", err)
	}
	silent := logrus.New()
	silent.SetOutput(io.Discard)
	return &keys{db: data.NewDatabase(dir), log: silent}, nil
}

// ServeHTTP answers one call of the KMS API.
func (k *keys) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, name, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	op, ok := operations[name]
	if !ok {
		refuse(w, "UnknownOperationException", "the local emulator has no "+name)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxKMSBody)
	resp := op(handler.NewRequestHandler(r, k.log, k.db))
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	w.WriteHeader(resp.Code)
	_, _ = io.WriteString(w, resp.Body) // a client that went away is no failure of KMS
}

// Close closes the key store.
func (k *keys) Close() error {
	k.db.Close()
	return nil
}
