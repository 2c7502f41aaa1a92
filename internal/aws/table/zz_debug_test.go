package table_test

import (
	"fmt"
	"io"
	"net/http"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

type logging struct{ c *awshttp.BuildableClient }

func (l logging) Do(r *http.Request) (*http.Response, error) {
	resp, err := l.c.Do(r)
	a := r.Header.Get("Amz-Sdk-Request")
	if err != nil {
		fmt.Println("RT", r.Header.Get("X-Amz-Target"), a, err)
		return resp, err
	}
	if a != "attempt=1; max=3" {
		fmt.Println("RT", r.Header.Get("X-Amz-Target"), a, resp.StatusCode)
	}
	resp.Body = &errR{resp.Body, r.Header.Get("X-Amz-Target")}
	return resp, nil
}

type errR struct {
	io.ReadCloser
	s string
}

func (e *errR) Read(b []byte) (int, error) {
	n, err := e.ReadCloser.Read(b)
	if err != nil && err != io.EOF {
		fmt.Println("BODY", e.s, err)
	}
	return n, err
}
