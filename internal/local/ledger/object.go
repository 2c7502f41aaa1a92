package ledger

import (
	"net/http"
	"net/url"
	"strings"
)

// object counts a request of S3.
func (l *Ledger) object(who string, next http.Handler, w http.ResponseWriter, r *http.Request) {
	answer := &answer{ResponseWriter: w}
	a := readObjectRequest(r)
	next.ServeHTTP(answer, r)
	for _, n := range a.needs {
		l.need(who, n.Action, n.On)
	}
	if looks := r.Method == http.MethodGet || r.Method == http.MethodHead; looks && a.key != "" && answer.status == http.StatusNotFound {
		// Who may not list is told of an absent object that it is forbidden.
		l.need(who, "s3:ListBucket", bucketARN(a.bucket))
	}
	l.spend(who, a.item, 1)
}

// objectRequest is a request of S3 in the words of IAM and of the price list.
type objectRequest struct {
	bucket, key string
	item        Item
	needs       []Right // without who
}

func readObjectRequest(r *http.Request) objectRequest {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	a := objectRequest{bucket: bucket, key: key}
	if key == "" {
		a.item = S3List
		if r.Method == http.MethodHead {
			a.item = S3Head
		}
		a.add(bucketAction(r.Method, r.URL.Query()), bucketARN(bucket))
		return a
	}
	a.item = itemOf(r)
	a.add(objectAction(r.Method, r.URL.Query()), objectARN(bucket, key))
	if r.Header.Get("X-Amz-Tagging") != "" {
		a.add("s3:PutObjectTagging", objectARN(bucket, key))
	}
	if source := r.Header.Get("X-Amz-Copy-Source"); source != "" {
		a.addSource(source)
	}
	return a
}

func (a *objectRequest) add(action, on string) {
	a.needs = append(a.needs, Right{Action: action, On: on})
}

// addSource adds the right to read what is copied.
func (a *objectRequest) addSource(source string) {
	path, query, versioned := strings.Cut(source, "?")
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	bucket, key, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	action := "s3:GetObject"
	if versioned && strings.HasPrefix(query, "versionId=") {
		action = "s3:GetObjectVersion"
	}
	a.add(action, objectARN(bucket, key))
}

// itemOf is what the price list calls a request for an object.
func itemOf(r *http.Request) Item {
	switch {
	case r.Method == http.MethodHead:
		return S3Head
	case r.Method == http.MethodDelete:
		return S3Delete
	case r.Header.Get("X-Amz-Copy-Source") != "":
		return S3Copy
	case r.Method == http.MethodGet && r.URL.Query().Has("uploadId"):
		return S3List
	case r.Method == http.MethodGet:
		return S3Get
	}
	return S3Put
}

// subresources are what the query of a request for an object can ask for in place of the object: the actions by method. A
// version has an action of its own for each but the parts of uploads.
var subresources = map[string]map[string]string{
	"uploadId":   {"GET": "s3:ListMultipartUploadParts", "PUT": "s3:PutObject", "POST": "s3:PutObject", "DELETE": "s3:AbortMultipartUpload"},
	"uploads":    {"POST": "s3:PutObject"},
	"tagging":    {"GET": "s3:GetObjectTagging", "PUT": "s3:PutObjectTagging", "DELETE": "s3:DeleteObjectTagging"},
	"attributes": {"GET": "s3:GetObjectAttributes"},
}

// strange are subresources that no function is to ask for. They are counted as what they are called, which no role grants.
var strange = []string{"acl", "legal-hold", "retention", "restore", "select", "torrent"}

// objectAction is the action of a request for an object.
func objectAction(method string, q url.Values) string {
	for name, actions := range subresources {
		if q.Has(name) {
			return versioned(known(actions[method], method, name), q.Has("versionId"))
		}
	}
	for _, name := range strange {
		if q.Has(name) {
			return known("", method, name)
		}
	}
	plain := map[string]string{"GET": "s3:GetObject", "HEAD": "s3:GetObject", "PUT": "s3:PutObject", "DELETE": "s3:DeleteObject"}
	return versioned(known(plain[method], method, "object"), q.Has("versionId"))
}

// versioned is the action on one version.
func versioned(action string, one bool) string {
	if !one {
		return action
	}
	if tags, ok := strings.CutSuffix(action, "Tagging"); ok {
		return tags + "VersionTagging"
	}
	if attributes, ok := strings.CutSuffix(action, "Attributes"); ok {
		return attributes + "VersionAttributes"
	}
	return action + "Version"
}

// bucketAction is the action of a request for a bucket.
func bucketAction(method string, q url.Values) string {
	for name, action := range map[string]string{
		"versions": "s3:ListBucketVersions", "uploads": "s3:ListBucketMultipartUploads",
		"location": "s3:GetBucketLocation", "versioning": "s3:GetBucketVersioning",
	} {
		if q.Has(name) && method == http.MethodGet {
			return action
		}
	}
	switch {
	case method == http.MethodGet || method == http.MethodHead:
		return "s3:ListBucket"
	case method == http.MethodPost && q.Has("delete"):
		return "s3:DeleteObject"
	}
	return known("", method, "bucket")
}

// known is the action, or where there is none a name that no role grants.
func known(action, method, what string) string {
	if action == "" {
		return "s3:?" + method + " " + what
	}
	return action
}

func bucketARN(bucket string) string { return "arn:aws:s3:::" + bucket }

// objectARN names an object, or the folder that it is in: there are too many objects to keep them apart.
func objectARN(bucket, key string) string {
	if folder, _, deep := strings.Cut(key, "/"); deep {
		key = folder + "/*"
	}
	return bucketARN(bucket) + "/" + key
}
