package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"bulksigner/internal/local"
)

// BenchmarkColdStart starts each function's binary and waits until it asks the Runtime API for its first event: the
// program is loaded, the settings are read and checked, the clients are made, and the table was asked for its seed.
func BenchmarkColdStart(b *testing.B) {
	for _, f := range local.Functions() {
		b.Run(f.Name, func(b *testing.B) {
			next := make(chan struct{}, 1)
			runtime := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				next <- struct{}{}
				<-r.Context().Done() // there is no event
			}))
			defer runtime.Close()
			for range b.N {
				ctx, stop := context.WithCancel(b.Context())
				cmd := service.Command(ctx, f)
				cmd.Env = append(cmd.Env, "AWS_LAMBDA_RUNTIME_API="+runtime.Listener.Addr().String(), "AWS_LAMBDA_FUNCTION_NAME="+f.Name)
				if err := cmd.Start(); err != nil {
					b.Fatal(err)
				}
				<-next
				stop()
				cmd.Wait() // it was killed
			}
			size, err := os.Stat(service.Command(b.Context(), f).Path)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(size.Size())/(1<<20), "MiB")
		})
	}
}
