package aenv_test

import (
	"net"
	"os"
	"sync"
	"testing"

	"bulksigner/internal/local/aenv"
)

// take is the first Take of the process, however often the test runs.
var take = sync.OnceValues(aenv.Take)

func TestTheFirstListenerIsTheOneThatKumoKnows(t *testing.T) {
	t.Parallel()
	first, err := take()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := first.Addr().String(), net.JoinHostPort(os.Getenv("KUMO_HOST"), os.Getenv("KUMO_PORT")); got != want {
		t.Errorf("listening on %s, want %s", got, want)
	}
	second, err := aenv.Take()
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if first.Addr().String() == second.Addr().String() {
		t.Error("two listeners have one address")
	}
	if os.Getenv("KUMO_DATA_DIR") != "" {
		t.Error("kumo would keep its data")
	}
}
