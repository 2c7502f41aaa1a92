package profile

import (
	"regexp"
	"strings"
)

// A coordinate says where something is; it is never the thing itself.

// Limits of the services whose names these are.
const (
	maxAlias      = 256  // characters of a KMS alias, its prefix included
	maxSecretName = 519  // 512 characters of a secret's name and the hyphen and six that its ARN appends
	maxObjectKey  = 1024 // bytes of an S3 key
)

// The partition is not listed: new ones appear, and a wrong one is found by the first call.
const arn = `arn:aws[a-z-]{0,20}:`

var (
	nameForm   = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$`)
	keyForm    = regexp.MustCompile(`^(?:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|mrk-[0-9a-fA-F]{32})$`)
	aliasForm  = regexp.MustCompile(`^alias/[a-zA-Z0-9/_-]+$`)
	kmsForm    = regexp.MustCompile(`^` + arn + `kms:[a-z0-9-]{1,30}:[0-9]{12}:(.*)$`)
	secretForm = regexp.MustCompile(`^` + arn + `secretsmanager:[a-z0-9-]{1,30}:[0-9]{12}:secret:([a-zA-Z0-9/_+=.@-]+)$`)
	bucketForm = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
)

// ValidName reports whether a profile or a watched folder may have this name: 1 to 40 lowercase letters, digits and
// hyphens, without a hyphen at either end.
func ValidName(s string) bool { return nameForm.MatchString(s) }

// IsSecret reports whether s is the ARN of a secret in Secrets Manager, in any partition.
func IsSecret(s string) bool {
	m := secretForm.FindStringSubmatch(s)
	return m != nil && len(m[1]) <= maxSecretName
}

// ObjectAt reads s3://bucket/key.
func ObjectAt(location string) (bucket, key string, ok bool) {
	rest, isS3 := strings.CutPrefix(location, "s3://")
	bucket, key, _ = strings.Cut(rest, "/")
	if !isS3 || !bucketForm.MatchString(bucket) || key == "" || len(key) > maxObjectKey {
		return "", "", false
	}
	return bucket, key, true
}

// isKey reports whether s names a KMS key: by id, alias, or the ARN of either. Aliases under alias/aws/ belong to keys
// that AWS manages, none of which can sign.
func isKey(s string) bool {
	if m := kmsForm.FindStringSubmatch(s); m != nil {
		id, ok := strings.CutPrefix(m[1], "key/")
		return ok && keyForm.MatchString(id) || isAlias(m[1])
	}
	return keyForm.MatchString(s) || isAlias(s)
}

func isAlias(s string) bool {
	return aliasForm.MatchString(s) && len(s) <= maxAlias && !strings.HasPrefix(s, "alias/aws/")
}

func isObject(s string) bool {
	_, _, ok := ObjectAt(s)
	return ok
}
