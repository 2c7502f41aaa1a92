package settings_test

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
	"bulksigner/internal/settings"
)

var update = flag.Bool("update", false, "write the golden files anew")

// kms is a whole section Signing, for tests that are about another one.
const kms = `"Signing":{"Certificate":{"Source":"Kms","Kms":{"KeyId":"alias/a","Certificate":"s3://bucket/a.pem"}}}`

const secretARN = "arn:aws:secretsmanager:sa-east-1:111122223333:secret:password-AbCdEf"

func read(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func load(t testing.TB, file string, environ ...string) (settings.Settings, error) {
	t.Helper()
	fsys := fstest.MapFS{
		"conf/settings.json": {Data: []byte(file)},
		"conf/root.pem":      {Data: []byte(read(t, "root.pem"))},
		"conf/leaf.pem":      {Data: []byte(read(t, "leaf.pem"))},
		"conf/large.pem":     {Data: make([]byte, profile.MaxCertificates+1)},
		"root.pem":           {Data: []byte("outside of the file's folder")},
	}
	return settings.Load(fsys, "conf/settings.json", environ, settings.API)
}

// faults returns what is wrong and fails the test if nothing is, or if the error is not what Load promises.
func faults(t testing.TB, err error) settings.Faults {
	t.Helper()
	all, ok := errors.AsType[settings.Faults](err)
	if !ok || !errors.Is(err, fault.SettingsInvalid) {
		t.Fatalf("Load = %v, want %s with Faults", err, fault.SettingsInvalid)
	}
	return all
}

func TestLoadReadsAGoodFile(t *testing.T) {
	t.Parallel()
	file := strings.Replace(read(t, "good.json"), `"LEAF"`, quote(t, read(t, "leaf.pem")), 1)
	got, err := load(t, file)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.Signing.Anchors); n != 1 || got.Signing.Anchors[0].Subject.CommonName != "Test Root" {
		t.Errorf("%d anchors, want the test root", n)
	}
	got.Signing.Anchors = nil
	if diff := cmp.Diff(goodSettings(strings.TrimSpace(read(t, "leaf.pem"))), got, cmpopts.IgnoreUnexported(got)); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func goodSettings(leaf string) settings.Settings {
	byExtension := profile.New("default")
	byExtension.Certificate = kmsKey("alias/documents", "s3://certificates/documents.pem")

	contracts := profile.New("contracts")
	contracts.Format = profile.Pades
	contracts.RequirePolicy = false
	contracts.Certificate = kmsKey("arn:aws-us-gov:kms:us-gov-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab", leaf)
	contracts.Signature = profile.Signature{
		Digest: profile.SHA512, SubFilter: profile.SubFilterPBAD, Field: "Assinatura",
		Name: "Ana", Reason: "Aprovação", Location: "Brasília", ContactInfo: "ana@example.com",
		Seal: &profile.Seal{Page: -1, Left: 36, Bottom: 56.692913, Width: 200, Height: 60.5,
			Text: "Assinado por {name}\nem {time}", Image: "s3://seals/brasão.png"},
	}
	ledgers := profile.New("ledgers")
	ledgers.Format = profile.Cades
	ledgers.Signature.Detached, ledgers.Signature.Nested = true, true
	ledgers.Certificate = &profile.Certificate{Source: profile.CloudHsm, CloudHsm: &profile.HsmKey{
		ModulePath: "/opt/cloudhsm/lib/libcloudhsm_pkcs11.so", Slot: 2305843009213693953,
		Thumbprint: "0A1b2C3d4E5f60718293a4B5c6D7e8F901234567",
		Pin:        "arn:aws:secretsmanager:sa-east-1:111122223333:secret:ledgers/pin-AbCdEf",
	}}

	invoices := profile.New("invoices")
	invoices.Format, invoices.Signature.Element = profile.Xades, "infNFe"
	invoices.Encrypt = true
	invoices.Certificate = kmsKey("alias/invoices", "s3://certificates/invoices.pem")

	payments := profile.New("payments")
	payments.Enabled, payments.Verify, payments.ValidateCertificate, payments.Format = false, false, false, profile.Cades
	payments.PreserveFileExtension, payments.SaveAsPem = true, true
	payments.Certificate = &profile.Certificate{Source: profile.Pfx, Pfx: &profile.PfxKey{
		Location: "arn:aws-cn:secretsmanager:cn-north-1:111122223333:secret:payments/pfx-AbCdEf",
		Password: "arn:aws:secretsmanager:sa-east-1:111122223333:secret:payments/password-AbCdEf",
	}}
	hiring := profile.New("hiring")
	hiring.Method, hiring.Format, hiring.ValidateCertificate, hiring.RequirePolicy = profile.LacunaSigner, profile.Pades, false, false
	hiring.Signer = &profile.Participant{Name: "Ana de Teste", Email: "ana@example.com", Identifier: "01234567890"}

	minutes := profile.New("minutes")
	minutes.Method, minutes.Verify, minutes.ValidateCertificate = profile.SignerFolder, false, false
	minutes.SignerFolder = &profile.Binding{ID: "0194f3c2-5b1e-7c40-9d3a-6f2b8e1a4c57", Name: "Atas"}
	minutes.Certificate = kmsKey("alias/minutes", "s3://certificates/minutes.pem")
	return settings.Settings{
		Signer: settings.Signer{
			Endpoint: "https://signer.example.com/br", ApiKey: "application|0123456789", PollIntervalSeconds: 3600, TimeoutHours: 24,
			MaxConsecutiveApiFailures: 10, FolderSweepIntervalSeconds: 60, RequestsPerSecond: 110, SkipUnchangedDocuments: true,
			WebhookSecret: "arn:aws:secretsmanager:sa-east-1:111122223333:secret:signer/webhook-AbCdEf",
		},
		Signing: settings.Signing{
			Profiles:             []profile.Profile{byExtension, contracts, ledgers, invoices, payments, hiring, minutes},
			TrustAnchors:         []string{"root.pem", "s3://certificates/roots.pem"},
			AnchorObjects:        []string{"s3://certificates/roots.pem"},
			RevocationOutage:     settings.OutageWarn,
			MaxXmlBytes:          1 << 20,
			KeyRequestsPerSecond: 300,
		},
		Storage: settings.Storage{
			Inputs: []settings.Input{
				{Name: "all", Profile: "default"},
				{Name: "contracts", Prefix: "in/contracts/", Profile: "contracts", IgnoredExtensions: []string{".bak"}, IgnoredPrefixes: []string{"draft-"}},
			},
			ReconcileMinutes: 15,
		},
		WatchedFolder: settings.WatchedFolder{IgnoredExtensions: []string{".tmp", ".lock"}, IgnoredPrefixes: []string{".", "~$"}},
		Pipeline:      settings.Pipeline{MaxConcurrency: 1000},
		Auth:          settings.Auth{ApiKey: "a key of sixteen characters", ApiKeyHeader: "X-Documents-Key"},
		Upload:        settings.Upload{MaxBytes: 1 << 30},
		Encryption: settings.Encryption{
			Enabled: true, Password: "arn:aws:secretsmanager:sa-east-1:111122223333:secret:encryption/password-AbCdEf",
			Salt: settings.Salt("0123456789abcdef0123456789abcdef"), Iterations: 10_000, MaxBytes: 512 << 20,
		},
		RateLimiting: settings.RateLimiting{
			Upload: settings.Policy{Permits: 1, Window: time.Hour}, Actions: settings.Policy{Permits: 60, Window: time.Second},
			SignerNotification: settings.Policy{Permits: 1_000_000, Window: time.Minute},
		},
		Readiness: settings.Readiness{RequireApiKey: true},
	}
}

func kmsKey(id, certificate string) *profile.Certificate {
	return &profile.Certificate{Source: profile.Kms, Kms: &profile.KmsKey{KeyID: id, Certificate: certificate}}
}

func TestLoadReportsEveryFault(t *testing.T) {
	t.Parallel()
	_, err := load(t, read(t, "faulty.json"), "Pipeline__MaxConcurency=3", "Storage__Inputs__9__Name=late")
	got := faults(t, err).Error() + "\n"
	if *update {
		if err := os.WriteFile("testdata/faulty.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(read(t, "faulty.txt"), got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	if strings.Contains(strings.ReplaceAll(err.Error(), `"swordfish\n7"`, ""), "swordfish") {
		t.Errorf("the faults quote a value:\n%v", err)
	}
}

func TestLoadFillsInDefaults(t *testing.T) {
	t.Parallel()
	got, err := settings.Load(fstest.MapFS{"settings.json": {Data: []byte("\xef\xbb\xbf{" + kms + "}")}}, "settings.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	key := kmsKey("alias/a", "s3://bucket/a.pem")
	want := settings.Settings{
		Signing: settings.Signing{
			Certificate: key, Profiles: []profile.Profile{profile.Derived(key)}, RevocationOutage: settings.OutageRefuse,
			MaxXmlBytes: 5242880, KeyRequestsPerSecond: 500,
		},
		Storage:  settings.Storage{Inputs: []settings.Input{{Name: "default", Profile: "default"}}, ReconcileMinutes: 60},
		Pipeline: settings.Pipeline{MaxConcurrency: 10, RejectAlreadyProcessedFileNames: true},
		WatchedFolder: settings.WatchedFolder{
			IgnoredExtensions: []string{".tmp", ".part", ".crdownload", ".swp"}, IgnoredPrefixes: []string{".", "~$"},
		},
		Encryption: settings.Encryption{Iterations: 600000, MaxBytes: 104857600},
		Auth:       settings.Auth{ApiKeyHeader: "X-API-Key"},
		Upload:     settings.Upload{Enabled: true, MaxBytes: 104857600},
		RateLimiting: settings.RateLimiting{
			Enabled: true, Upload: settings.Policy{Permits: 30, Window: time.Minute}, Actions: settings.Policy{Permits: 60, Window: time.Minute},
			SignerNotification: settings.Policy{Permits: 30000, Window: time.Minute},
		},
		Metrics:    settings.Metrics{RequireApiKey: true},
		Statistics: settings.Statistics{Enabled: true},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(got)); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestLoadRefusesWhatIsNotAFile(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, data, want string }{
		{"too large", `{"a":"` + strings.Repeat("x", settings.MaxBytes) + `"}`, "has more than 1048576 bytes"},
		{"empty", "", "is not JSON at line 1, column 1"},
		{"cut short", "{\n\"Signing\": {", "is not JSON at line 2, column 13"},
		{"trailing comma", `{"Upload":{"Enabled":true,}}`, "is not JSON at line 1"},
		{"comment", "{\n  // ours\n}", "is not JSON at line 2"},
		{"something after it", `{} {}`, "is not JSON at line 1"},
		{"rubbish after it", `{} x`, "is not JSON at line 1"},
		{"a list", `[]`, "is not a JSON object"},
		{"null", `null`, "is not a JSON object"},
		{"another encoding", "\xff\xfe{\x00}\x00", "is not UTF-8"},
		{"too deep", strings.Repeat(`{"a":`, 40), "is nested deeper than 16 levels"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, tt.data)
			got := faults(t, err)
			if len(got) != 1 || got[0].Key != "conf/settings.json" || !strings.HasPrefix(got[0].Message, tt.want) {
				t.Errorf("faults = %v, want one: %s", got, tt.want)
			}
		})
	}
}

func TestLoadNeedsAFile(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{"folder/settings.json": {Data: []byte("{}")}}
	for name, want := range map[string]string{
		"settings.json":  "there is no such file",
		"/settings.json": "is not a path",
		"folder":         "cannot be read",
	} {
		_, err := settings.Load(fsys, name, nil)
		if got := faults(t, err); len(got) != 1 || got[0].Key != name || got[0].Message != want {
			t.Errorf("Load(%s) = %v, want %q", name, got, want)
		}
	}
}

func TestLoadStopsCountingSomewhere(t *testing.T) {
	t.Parallel()
	file := "{" + kms + `,"Auth":{"ApiKey":"0123456789abcdef"}` + numbered(300) + "}"
	_, err := load(t, file)
	got := faults(t, err)
	if last := got[len(got)-1]; len(got) != 201 || last.Message != "100 more faults are not shown" {
		t.Errorf("%d faults, the last %v, want 200 and one for the rest", len(got), last)
	}
	if want := "300 faults in the settings"; fault.DetailOf(err) != want {
		t.Errorf("detail = %q, want %q", fault.DetailOf(err), want)
	}
}
