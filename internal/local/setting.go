package local

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/settings"
)

// object is a JSON object of the settings file.
type object = map[string]any

const settingsFile, rootFile = "settings.json", "root.pem"

// Root is the certificate of the test authority that every certificate of this run comes from.
func (s *Service) Root() string { return s.path("config", rootFile) }

// makeSettings makes the authority, the keys and the settings file, and returns the file's path. What the service would
// refuse is found here, and not in a function's log.
func (s *Service) makeSettings(ctx context.Context) (string, error) {
	cfg := s.emulator.Config()
	pki, err := icpbrasiltest.New(time.Now())
	if err != nil {
		return "", fmt.Errorf("make the test authority: %w", err)
	}
	a := authority{pki, kms.NewFromConfig(cfg), secretsmanager.NewFromConfig(cfg)}
	profiles, err := a.profiles(ctx)
	if err != nil {
		return "", err
	}
	s.APIKey = rand.Text()
	content, err := json.MarshalIndent(s.settings(profiles), "", "  ")
	if err != nil {
		return "", fmt.Errorf("encode the settings: %w", err)
	}
	for name, data := range map[string][]byte{settingsFile: content, rootFile: pki.RootPEM()} {
		if err := os.WriteFile(s.path("config", name), data, 0o600); err != nil {
			return "", fmt.Errorf("write the settings: %w", err)
		}
	}
	if _, err := settings.Load(os.DirFS(s.path("config")), settingsFile, nil, settings.API); err != nil {
		return "", fmt.Errorf("check the settings: %w", err)
	}
	return s.path("config", settingsFile), nil
}

// profiles are one for each kind of key, and the default, which takes any format. Nobody publishes revocation lists for the
// test authority's certificates, so that none is validated before it signs.
func (a authority) profiles(ctx context.Context) ([]object, error) {
	contracts, err := a.kmsKey(ctx, "alias/contracts", types.KeySpecRsa2048)
	if err != nil {
		return nil, err
	}
	invoices, err := a.kmsKey(ctx, "alias/invoices", types.KeySpecEccNistP256)
	if err != nil {
		return nil, err
	}
	letters, err := a.pfxKey(ctx, "letters")
	if err != nil {
		return nil, err
	}
	profiles := []object{
		{"Name": "contracts", "Method": "Local", "Format": "Pades", "Certificate": contracts,
			"Signature": object{"Reason": "Contrato aprovado", "Location": "São Paulo"}},
		{"Name": "invoices", "Method": "Local", "Format": "Pades", "Certificate": invoices},
		{"Name": "letters", "Method": "Local", "Format": "Pades", "Certificate": letters,
			"Signature": object{"Digest": "SHA-512", "Reason": "Carta assinada"}},
		{"Name": "default", "Method": "Local", "Certificate": contracts},
	}
	for _, p := range profiles {
		p["ValidateCertificate"] = false
	}
	return profiles, nil
}

func (s *Service) settings(profiles []object) object {
	input := func(name, profile string) object {
		return object{"Name": name, "Prefix": name + "/", "Profile": profile}
	}
	return object{
		// The test authority publishes no lists: its addresses end in .invalid.
		"Signing": object{"Profiles": profiles, "TrustAnchors": []string{rootFile}, "RevocationOutage": "Warn"},
		"Storage": object{"Inputs": []object{
			input("contracts", "contracts"), input("invoices", "invoices"), input("letters", "letters"), input("inbox", "default"),
		}},
		"Pipeline": object{"MaxConcurrency": signers},
		"Auth":     object{"ApiKey": s.APIKey},
	}
}
