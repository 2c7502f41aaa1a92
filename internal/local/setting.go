package local

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
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

// makeSettings makes the authority, the keys, Lacuna Signer and the settings file, and returns the file's path. What the
// service would refuse is found here, and not in a function's log.
func (s *Service) makeSettings(ctx context.Context, o Options) (string, error) {
	cfg := s.emulator.Config()
	pki, err := icpbrasiltest.New(time.Now())
	if err != nil {
		return "", fmt.Errorf("make the test authority: %w", err)
	}
	if s.Signer, err = startSigner(pki); err != nil {
		return "", err
	}
	s.onStop(s.Signer.close)
	a := authority{pki, kms.NewFromConfig(cfg), secretsmanager.NewFromConfig(cfg)}
	profiles, err := a.profiles(ctx, s.Signer.Folder)
	if err != nil {
		return "", err
	}
	s.APIKey = rand.Text()
	if err := s.write(rootFile, pki.RootPEM()); err != nil {
		return "", err
	}
	all := s.settings(profiles)
	if o.Settings != nil {
		if err := o.Settings(ctx, s, all); err != nil {
			return "", fmt.Errorf("change the settings: %w", err)
		}
	}
	content, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return "", fmt.Errorf("encode the settings: %w", err)
	}
	if err := s.write(settingsFile, content); err != nil {
		return "", err
	}
	if _, err := settings.Load(os.DirFS(s.path("config")), settingsFile, nil, settings.API); err != nil {
		return "", fmt.Errorf("check the settings: %w", err)
	}
	return s.path("config", settingsFile), nil
}

// write writes one of the files that the settings consist of.
func (s *Service) write(name string, data []byte) error {
	if err := os.WriteFile(s.path("config", name), data, 0o600); err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	return nil
}

// profiles are one for each kind of key, the default, which takes any format, and those that work with Lacuna Signer. Nobody
// publishes revocation lists for the test authority's certificates, so that none is validated before it signs.
func (a authority) profiles(ctx context.Context, folder string) ([]object, error) {
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
	board, err := a.kmsKey(ctx, "alias/board", types.KeySpecRsa2048)
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
		{"Name": "hr", "Method": "LacunaSigner", "Format": "Pades", "Signer": Employee},
		{"Name": "remote", "Method": "LacunaSigner", "Format": "Cades", "Signer": Employee},
		{"Name": "board", "Method": "SignerFolder", "Certificate": board, "SignerFolder": object{"Id": folder, "Name": FolderName}, "Verify": false},
	}
	for _, p := range profiles {
		p["ValidateCertificate"] = false
	}
	return profiles, nil
}

// watched are the profiles of what arrives, by folder.
var watched = map[string]string{
	"contracts": "contracts", "invoices": "invoices", "letters": "letters", "inbox": "default", "hr": "hr", "remote": "remote",
}

func (s *Service) settings(profiles []object) object {
	var inputs []object
	for _, name := range slices.Sorted(maps.Keys(watched)) {
		inputs = append(inputs, object{"Name": name, "Prefix": name + "/", "Profile": watched[name]})
	}
	return object{
		// The test authority publishes no lists: its addresses end in .invalid.
		"Signing": object{"Profiles": profiles, "TrustAnchors": []string{rootFile}, "RevocationOutage": "Warn"},
		"Signer": object{
			"Endpoint": s.Signer.URL, "ApiKey": s.Signer.Key(), "WebhookSecret": s.Signer.secret,
			"PollIntervalSeconds": 2, "FolderSweepIntervalSeconds": 60, // as often as there is something to see, and as is allowed
		},
		"Storage":  object{"Inputs": inputs},
		"Pipeline": object{"MaxConcurrency": signers},
		"Auth":     object{"ApiKey": s.APIKey},
	}
}
