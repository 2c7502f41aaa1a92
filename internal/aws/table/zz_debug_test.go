package table_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

type logging struct{ c *awshttp.BuildableClient }

func (l logging) Do(r *http.Request) (*http.Response, error) {
	resp, err := l.c.Do(r)
	if err != nil {
		fmt.Println("RT", r.Header.Get("X-Amz-Target"), err)
		return resp, err
	}
	if r.Header.Get("Amz-Sdk-Request") != "attempt=1; max=3" && resp.StatusCode != 200 {
		fmt.Println("RT attempt", r.Header.Get("X-Amz-Target"), r.Header.Get("Amz-Sdk-Request"))
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 500 {
		fmt.Println("RT", r.Header.Get("X-Amz-Target"), resp.StatusCode, string(b), err)
	}
	resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(b), errR{err}))
	return resp, nil
}

type errR struct{ error }

func (e errR) Read([]byte) (int, error) {
	if e.error == nil {
		return 0, io.EOF // debug
	}
	return 0, e.error
}
