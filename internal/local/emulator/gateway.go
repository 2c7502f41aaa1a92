package emulator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/versity/versitygw/auth"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

const (
	maxCopy      = 5 << 30 // S3's own limit; zero would refuse every copy
	startTimeout = 15 * time.Second
)

// running is taken before the working directory changes: a second gateway must not disturb the first.
var running atomic.Bool

// gateway is the emulated S3. It listens on a Unix socket, so that it takes no port of its own.
type gateway struct {
	http.Handler

	cancel  context.CancelFunc
	ended   <-chan error
	sockets string // folder of the socket
	origin  string // working directory before the start
}

// startGateway starts S3 on dir and waits until it accepts connections.
func startGateway(ctx context.Context, dir string, created func(context.Context, Object)) (_ *gateway, err error) {
	if !running.CompareAndSwap(false, true) {
		return nil, errors.New("an S3 gateway already runs in this process")
	}
	g := &gateway{}
	if g.origin, err = os.Getwd(); err != nil {
		running.Store(false)
		return nil, fmt.Errorf("find the working directory: %w", err)
	}
	// A socket's path has at most 104 to 108 bytes, and a data folder may be deep: hence a place of its own.
	if g.sockets, err = os.MkdirTemp("", "s3"); err != nil {
		running.Store(false)
		return nil, fmt.Errorf("make the folder of the S3 socket: %w", err)
	}
	be, err := openBackend(dir)
	if err != nil {
		return nil, errors.Join(err, g.cleanUp())
	}
	if created != nil {
		be = announcing{be, created}
	}
	socket := filepath.Join(g.sockets, "s")
	g.run(ctx, be, socket)
	if err := g.wait(ctx, socket); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
	g.Handler = forward(&url.URL{Scheme: "http", Host: "s3"}, dial)
	return g, nil
}

// run starts the gateway. It outlives ctx: requests of a test's cleanup come after the test's context has ended.
func (g *gateway) run(ctx context.Context, be backend.Backend, socket string) {
	ctx, g.cancel = context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	g.ended = ended
	go func() {
		ended <- embedgw.RunVersityGW(ctx, be, &embedgw.Config{
			RootUserAccess: AccessKey, RootUserSecret: SecretKey, Region: Region,
			// The default is the same and announces itself on standard output.
			IAMService: accounts{auth.NewIAMServiceSingle(auth.Account{Access: AccessKey, Secret: SecretKey, Role: auth.RoleAdmin})},
			Ports:      []string{socket}, SocketPerm: "0600",
			MaxConnections: 512, MaxRequests: 512, MultipartMaxParts: 10_000,
			Quiet: true, KeepAlive: true,
		})
	}()
}

// wait returns when the gateway accepts connections, or has ended, or takes too long.
func (g *gateway) wait(ctx context.Context, socket string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		if conn, err := net.Dial("unix", socket); err == nil {
			return conn.Close()
		}
		select {
		case err := <-g.ended:
			g.ended = nil
			return fmt.Errorf("start the S3 gateway: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("wait for the S3 gateway: %w", ctx.Err())
		case <-tick.C:
		}
	}
}

// Close stops the gateway, waits until it has, and goes back to the working directory of before.
func (g *gateway) Close() error {
	g.cancel()
	var err error
	if g.ended != nil {
		err = <-g.ended
	}
	return errors.Join(err, g.cleanUp())
}

func (g *gateway) cleanUp() error {
	defer running.Store(false)
	return errors.Join(os.RemoveAll(g.sockets), os.Chdir(g.origin))
}

// openBackend opens object storage in dir: objects, their versions, and their metadata in extended attributes or, where
// the file system has none, in files beside.
func openBackend(dir string) (backend.Backend, error) {
	root, versions, side := filepath.Join(dir, "objects"), filepath.Join(dir, "versions"), filepath.Join(dir, "meta")
	for _, d := range []string{root, versions, side} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, fmt.Errorf("make object storage: %w", err)
		}
	}
	opts := posix.PosixOpts{VersioningDir: versions, CopyObjectThreshold: maxCopy}
	var store meta.MetadataStorer = meta.XattrMeta{}
	if (meta.XattrMeta{}).Test(root) != nil {
		beside, err := meta.NewSideCar(side)
		if err != nil {
			return nil, fmt.Errorf("make object metadata: %w", err)
		}
		store, opts.SideCarDir = beside, side
	}
	var be *posix.Posix
	err := silently(func() (err error) {
		be, err = posix.New(root, store, opts)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open object storage: %w", err)
	}
	return be, nil
}

var stdout sync.Mutex

// silently calls f without standard output: the library prints there what the user of a test or of a run cannot use.
func silently(f func() error) error {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	stdout.Lock()
	defer stdout.Unlock()
	shown := os.Stdout
	os.Stdout = null
	defer func() { os.Stdout = shown }()
	return f()
}
