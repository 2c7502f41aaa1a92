package profile_test

import (
	"strings"
	"testing"

	"bulksigner/internal/profile"
)

func TestKeyIDs(t *testing.T) {
	t.Parallel()
	const id = "1234abcd-12ab-34cd-56ef-1234567890ab"
	tests := []struct {
		id string
		ok bool
	}{
		{id, true},
		{strings.ToUpper(id), true},
		{"mrk-1234abcd12ab34cd56ef1234567890ab", true},
		{"alias/contracts", true},
		{"alias/a_b/c-1", true},
		{"alias/" + strings.Repeat("a", 250), true},
		{"arn:aws:kms:sa-east-1:111122223333:key/" + id, true},
		{"arn:aws:kms:sa-east-1:111122223333:key/mrk-1234abcd12ab34cd56ef1234567890ab", true},
		{"arn:aws:kms:sa-east-1:111122223333:alias/contracts", true},
		{"arn:aws-us-gov:kms:us-gov-west-1:111122223333:key/" + id, true},
		{"arn:aws-iso-b:kms:us-isob-east-1:111122223333:alias/a", true},
		{"alias/" + strings.Repeat("a", 251), false},
		{"alias/aws/s3", false},
		{"arn:aws:kms:sa-east-1:111122223333:alias/aws/s3", false},
		{"alias/", false},
		{"alias/a b", false},
		{"arn:aws:kms:sa-east-1:111122223333:key/alias/contracts", false},
		{"arn:aws:kms:sa-east-1:111122223333:" + id, false},
		{"arn:aws:kms:sa-east-1:1111:key/" + id, false},
		{"arn:aws:s3:sa-east-1:111122223333:key/" + id, false},
		{"key/" + id, false},
		{id + "\n", false},
	}
	for _, tt := range tests {
		p := withKms()
		p.Certificate.Kms.KeyID = tt.id
		if got := p.Check(); (got == nil) != tt.ok {
			t.Errorf("key %q: Check = %v, want accepted %t", tt.id, got, tt.ok)
		}
	}
}

func TestIsSecret(t *testing.T) {
	t.Parallel()
	tests := []struct {
		arn string
		ok  bool
	}{
		{secretARN, true},
		{"arn:aws-cn:secretsmanager:cn-north-1:111122223333:secret:a/b_c+d=e.f@g-AbCdEf", true},
		{"arn:aws-eusc:secretsmanager:eusc-de-east-1:111122223333:secret:a-AbCdEf", true},
		{"", false},
		{"swordfish", false},
		{"arn:aws:secretsmanager:sa-east-1:111122223333:secret:", false},
		{"arn:aws:secretsmanager:sa-east-1:111122223333:secret:a:key::", false},
		{"arn:aws:secretsmanager::111122223333:secret:a", false},
		{"arn:other:secretsmanager:sa-east-1:111122223333:secret:a", false},
		{"arn:aws:ssm:sa-east-1:111122223333:parameter/a", false},
		{secretARN + strings.Repeat("a", 600), false},
		{secretARN + "\n", false},
	}
	for _, tt := range tests {
		if got := profile.IsSecret(tt.arn); got != tt.ok {
			t.Errorf("IsSecret(%q) = %t, want %t", tt.arn, got, tt.ok)
		}
	}
}

func TestObjectAt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		location, bucket, key string
		ok                    bool
	}{
		{"s3://bucket/key", "bucket", "key", true},
		{"s3://my.bucket-1/a/b c.pem", "my.bucket-1", "a/b c.pem", true},
		{"s3://bucket/" + strings.Repeat("a", 1024), "bucket", strings.Repeat("a", 1024), true},
		{"s3://bucket/" + strings.Repeat("a", 1025), "", "", false},
		{"s3://bucket/", "", "", false},
		{"s3://bucket", "", "", false},
		{"s3:///key", "", "", false},
		{"s3://Bucket/key", "", "", false},
		{"s3://ab/key", "", "", false},
		{"S3://bucket/key", "", "", false},
		{"https://bucket/key", "", "", false},
		{"bucket/key", "", "", false},
	}
	for _, tt := range tests {
		bucket, key, ok := profile.ObjectAt(tt.location)
		if bucket != tt.bucket || key != tt.key || ok != tt.ok {
			t.Errorf("ObjectAt(%.60q) = %s, %s, %t, want %s, %s, %t", tt.location, bucket, key, ok, tt.bucket, tt.key, tt.ok)
		}
	}
}
