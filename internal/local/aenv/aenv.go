// Package aenv takes a port before kumo is initialized, and tells kumo about it.
//
// kumo reads its own address from KUMO_HOST and KUMO_PORT in its package initializers, and calls itself there. Go
// initializes packages in the order of their import paths once their own imports are ready, so a package that imports
// the standard library alone, and whose path sorts before github.com/sivchari/kumo, runs first. That is all that this
// package is for: whoever imports kumo imports it too.
package aenv

import (
	"cmp"
	"net"
	"os"
	"sync"
)

// Variables.
const (
	// Address is the environment variable that asks for a fixed address, as host:port.
	Address = "LOCAL_AWS_ADDR"

	anyPort = "127.0.0.1:0"
)

var (
	listener net.Listener
	failure  error
	once     sync.Mutex
)

func init() {
	if listener, failure = net.Listen("tcp", cmp.Or(os.Getenv(Address), anyPort)); failure != nil {
		return // reported by Take: a failure here would have no reader
	}
	host, port, _ := net.SplitHostPort(listener.Addr().String()) // an address that was listened on can be split
	set("KUMO_HOST", host)
	set("KUMO_PORT", port)
	// Everything is fresh at each start: nothing may be read from, or written to, a folder that the shell names.
	set("KUMO_DATA_DIR", "")
	set("KUMO_INIT_DIR", "")
}

// Take returns the listener whose port kumo knows. Whoever comes second gets a listener on another port, by which kumo
// cannot call itself; no part of the product needs that it does.
func Take() (net.Listener, error) {
	once.Lock()
	defer once.Unlock()
	if listener == nil && failure == nil {
		return net.Listen("tcp", anyPort)
	}
	taken, err := listener, failure
	listener, failure = nil, nil
	return taken, err
}

func set(name, value string) {
	if err := os.Setenv(name, value); err != nil {
		failure = err
	}
}
