package main_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"time"

	infra "bulksigner/infra"
)

// deployment is what a stack of the tests is built from.
type deployment struct {
	context  map[string]any
	settings map[string]any
	environ  []string
}

// The keys and secrets that the settings of the tests name.
const (
	keyID         = "12345678-1234-1234-1234-123456789012"
	keyARN        = "arn:aws:kms:eu-west-1:111122223333:key/mrk-1234567890abcdef1234567890abcdef"
	aliasARN      = "arn:aws:kms:us-east-1:444455556666:alias/abroad"
	letters       = "arn:aws:secretsmanager:sa-east-1:111122223333:secret:letters-AbCdEf"
	lettersPass   = "arn:aws:secretsmanager:sa-east-1:111122223333:secret:letters/password"
	pin           = "arn:aws:secretsmanager:sa-east-1:111122223333:secret:token/pin-AbCdEf"
	apiKey        = "arn:aws:secretsmanager:sa-east-1:111122223333:secret:api-GhIjKl"
	signerKey     = "arn:aws:secretsmanager:sa-east-1:111122223333:secret:signer/key-AbCdEf"
	localPass     = "arn:aws:secretsmanager:sa-east-1:111122223333:secret:local-AbCdEf"
	sealing       = "arn:aws:secretsmanager:sa-east-1:111122223333:secret:encryption/password-AbCdEf"
	bearer        = "arn:aws:secretsmanager:sa-east-1:111122223333:secret:signer/bearer-AbCdEf"
	tenantSecrets = "arn:aws:secretsmanager:sa-east-1:111122223333:secret:tenants/*"
	custodian     = "arn:aws:iam::111122223333:role/key-custodian"
	shown         = "arn:aws:acm:sa-east-1:111122223333:certificate/12345678-1234-1234-1234-123456789012"
	topic         = "arn:aws:sns:sa-east-1:111122223333:operators"
)

var deployments = map[string]deployment{
	"plain": {settings: anchored("s3://certificates/roots.pem", configured(
		sealed(kmsProfile("sealed", keyID, "s3://certificates/by-id.pem"), "s3://seals/logo.png"),
		kmsProfile("by-id", keyID, "s3://certificates/by-id.pem"),
		kmsProfile("by-arn", keyARN, "s3://certificates/by-arn.pem"),
		kmsProfile("by-alias", "alias/contracts", "s3://certificates/by-alias.pem"),
		kmsProfile("again", "alias/contracts", "s3://certificates/by-alias.pem"),
		kmsProfile("abroad", aliasARN, "s3://certificates/abroad.pem"),
		pfxProfile("letters", letters, lettersPass),
		pfxProfile("memos", "s3://containers/memos.p12", lettersPass),
	))},
	"options": {
		context: map[string]any{
			"stack": "second", "inputBucket": "given-input", "outputBucket": "given-output", "encryption": "kms", "inputDays": 90.0,
			"accessLogsBucket": "given-logs", "alarmTopicArn": topic,
		},
		settings: configured(kmsProfile("by-id", keyID, "s3://certificates/by-id.pem")),
		environ: []string{"Pipeline__MaxConcurrency=25", "PATH=/bin", "Upload__Enabled=false", "RateLimiting__Upload__PermitsPerWindow=7",
			"Metrics__RequireApiKey=false", "Readiness__RequireApiKey=true", "Statistics__Enabled=false", "Encryption__Enabled=false"},
	},
	"signer": {context: map[string]any{"alarmTopicArn": topic}, settings: encrypted(sealing, 100, atSigner(map[string]any{"WebhookSecret": bearer, "TimeoutHours": 1000},
		kmsProfile("by-id", keyID, "s3://certificates/by-id.pem"),
		personProfile("people"),
		folderProfile(kmsProfile("found", keyARN, "s3://certificates/found.pem"), 1),
		folderProfile(pfxProfile("letters", letters, lettersPass), 2),
		folderProfile(pfxProfile("memos", "s3://containers/memos.p12", lettersPass), 3),
		pfxProfile("local", "s3://containers/local.p12", localPass),
	))},
	"allowed": {
		context: map[string]any{
			"profileKeys": []any{
				keyARN, aliasARN,
				map[string]any{"arn": "arn:aws:kms:sa-east-1:111122223333:alias/tenants/*", "reason": "One key for each tenant, made by another stack."},
				map[string]any{"arn": "arn:aws:kms:eu-west-1:111122223333:key/mrk-*", "reason": "Replicas of the keys at home, nothing else is there."},
			},
			"profileSecrets": `["` + letters + `", {"arn": "` + tenantSecrets + `", "reason": "One secret for each tenant, made by another stack."}]`,
			"profileObjects": []any{
				"arn:aws:s3:::certificates/by-hand.pem",
				map[string]any{"arn": "arn:aws:s3:::tenants/certificates/*", "reason": "One certificate for each tenant, made by another stack."},
			},
		},
		settings: atSigner(nil, personProfile("people")),
	},
	"quiet": {
		context:  map[string]any{"inputDays": 40},
		settings: atSigner(map[string]any{"TimeoutHours": 1, "FolderSweepIntervalSeconds": 86400}, personProfile("people")),
	},
	"many":    {settings: configured(manyProfiles(100, 60)...)},
	"toomany": {settings: configured(manyProfiles(100, 900)...)},
	"token":   {settings: configured(tokenProfile("ledgers", pin), pfxProfile("letters", letters, lettersPass)), context: with(theirVPC, cluster)},
	"isolated": {
		context: map[string]any{"vpc": "new", "nat": false, "newSigningKey": "RSA_2048", "keep": "false", "logDays": 400.0,
			"tags": map[string]any{"cost-center": "42", "Responsável": "ana@example.com"}},
		settings: configured(unchecked(pfxProfile("letters", letters, lettersPass))),
	},
	"network": {
		context: map[string]any{"vpc": "new", "newSigningKey": "ECC_NIST_P256", "signingKeyCustodian": custodian, "tags": `{"team": "legal"}`,
			"domainName": "sign.example.com", "certificateArn": shown},
		settings: atSigner(map[string]any{"WebhookSecret": bearer}, personProfile("people")),
	},
	"existing": {
		context: with(theirVPC, map[string]any{
			"existingInputBucket": "their.documents", "existingInputKeyArn": keyARN, "domainName": "sign.example.com", "certificateArn": shown,
		}),
		settings: configured(pfxProfile("letters", letters, lettersPass)),
	},
	"literal": {settings: encrypted("a password that is written out", 512, map[string]any{
		"Signing": map[string]any{"Profiles": []any{pfxProfile("letters", letters, lettersPass)}, "TrustAnchors": []any{"anchors/root.pem"}},
		"Storage": map[string]any{"Inputs": []any{map[string]any{"Name": "in", "Prefix": "in/", "Profile": "letters"}}},
		"Auth":    map[string]any{"ApiKey": "a key of thirty-two characters.."},
		"Signer": map[string]any{
			"Endpoint": "https://signer.example.com", "ApiKey": "test app|0123456789abcdef", "WebhookSecret": "a bearer of thirty-two characters",
		},
	})},
}

// encrypted are settings of a service that can encrypt its outputs, up to so many MiB.
func encrypted(password string, mebi int, settings map[string]any) map[string]any {
	settings["Encryption"] = map[string]any{"Enabled": true, "Password": password, "Salt": "MDEyMzQ1Njc4OWFiY2RlZg==", "MaxBytes": mebi << 20}
	return settings
}

// atSigner are settings that work with Lacuna Signer.
func atSigner(more map[string]any, profiles ...any) map[string]any {
	settings := configured(profiles...)
	signer := map[string]any{"Endpoint": "https://signer.example.com", "ApiKey": signerKey}
	maps.Copy(signer, more)
	settings["Signer"] = signer
	return settings
}

func personProfile(name string) any {
	return map[string]any{"Name": name, "Format": "Pades", "Method": "LacunaSigner", "ValidateCertificate": false,
		"Signer": map[string]any{"Name": "Ana", "Email": "ana@example.com", "Identifier": "52998224725"}}
}

// folderProfile signs what waits in a folder, with the key of another profile.
func folderProfile(profile any, folder int) any {
	maps.Copy(profile.(map[string]any), map[string]any{"Method": "SignerFolder", "Verify": false, "ValidateCertificate": false,
		"SignerFolder": map[string]any{"Id": fmt.Sprintf("0194f3c2-5b1e-7c40-9d3a-%012d", folder)}})
	return profile
}

func configured(profiles ...any) map[string]any {
	first := profiles[0].(map[string]any)["Name"]
	return map[string]any{
		"Signing": map[string]any{"Profiles": profiles, "TrustAnchors": []any{"anchors/root.pem"}},
		"Storage": map[string]any{"Inputs": []any{map[string]any{"Name": "in", "Prefix": "in/", "Profile": first}}},
		"Auth":    map[string]any{"ApiKey": apiKey},
	}
}

func kmsProfile(name, id, certificate string) any {
	return map[string]any{"Name": name, "Format": "Pades", "Certificate": map[string]any{
		"Source": "Kms", "Kms": map[string]any{"KeyId": id, "Certificate": certificate},
	}}
}

func pfxProfile(name, location, password string) any {
	return map[string]any{"Name": name, "Format": "Pades", "Certificate": map[string]any{
		"Source": "Pfx", "Pfx": map[string]any{"Location": location, "Password": password},
	}}
}

func tokenProfile(name, pin string) any {
	return map[string]any{"Name": name, "Format": "Pades", "Certificate": map[string]any{
		"Source": "CloudHsm", "CloudHsm": map[string]any{
			"ModulePath": "/opt/cloudhsm/lib/libcloudhsm_pkcs11.so", "Thumbprint": "0123456789012345678901234567890123456789", "Pin": pin,
		},
	}}
}

// sealed shows the signatures of a profile.
func sealed(profile any, image string) any {
	profile.(map[string]any)["Signature"] = map[string]any{"Seal": map[string]any{"Width": 200, "Height": 60, "Image": image}}
	return profile
}

// anchored adds one trust anchor.
func anchored(anchor string, settings map[string]any) map[string]any {
	signing := settings["Signing"].(map[string]any)
	signing["TrustAnchors"] = append(signing["TrustAnchors"].([]any), anchor)
	return settings
}

// manyProfiles have a key each, every third by alias, and a certificate under a long name.
func manyProfiles(n, nameLength int) []any {
	profiles := make([]any, n)
	for i := range profiles {
		id := fmt.Sprintf("00000000-0000-0000-0000-%012d", i)
		if i%3 == 0 {
			id = fmt.Sprintf("alias/%s%03d", bytes.Repeat([]byte("a"), 100), i)
		}
		certificate := fmt.Sprintf("s3://certificates/%s%03d.pem", bytes.Repeat([]byte("c"), nameLength), i)
		profiles[i] = kmsProfile(fmt.Sprintf("p%d", i), id, certificate)
	}
	return profiles
}

// config writes settings, a trust anchor and the functions' programs below dir and loads them.
func (d deployment) config(dir string) (infra.Config, error) {
	if err := d.write(dir); err != nil {
		return infra.Config{}, err
	}
	options, err := infra.ReadOptions(func(key string) any {
		if given, ok := d.context[key]; ok {
			if s, ok := given.(string); ok && strings.HasPrefix(s, "@/") {
				return filepath.Join(dir, s[1:])
			}
			return given
		}
		own := map[string]any{"settings": filepath.Join(dir, "my-settings.json"), "dist": filepath.Join(dir, "dist")}
		return own[key]
	})
	if err != nil {
		return infra.Config{}, err
	}
	return infra.Load(options, d.environ)
}

// programs are those that are built, deployed or not.
var programs = []string{"sign", "poll", "sweep", "recover", "api", "notify"}

func (d deployment) write(dir string) error {
	data, err := json.Marshal(d.settings)
	if err != nil {
		return err
	}
	anchor, err := newAnchor()
	if err != nil {
		return err
	}
	files := map[string][]byte{"my-settings.json": data, "anchors/root.pem": anchor}
	for _, name := range programs {
		files["dist/"+name+"/bootstrap"] = program(elf.EM_AARCH64)
	}
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// program is the head of a program for a machine, and nothing else.
func program(m elf.Machine) []byte {
	head := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(m), Version: uint32(elf.EV_CURRENT), Ehsize: 64}
	copy(head.Ident[:], elf.ELFMAG)
	head.Ident[elf.EI_CLASS], head.Ident[elf.EI_DATA], head.Ident[elf.EI_VERSION] = 2, 1, 1
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, head); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}

func newAnchor() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "AC Raiz de Teste"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2120, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}
