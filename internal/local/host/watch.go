package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

const runtimeAPI = "/2018-06-01/runtime/"

// watch stands between the processes and kumo's Runtime API. Each process has its own address, so that it is known who
// asks for work, who got some, and who has answered.
type watch struct {
	addr   string
	target *url.URL
	proxy  *httputil.ReverseProxy
	srv    *http.Server
	ended  chan error

	mu        sync.Mutex
	processes map[string]*process
	last      int
}

func newWatch(target string) (*watch, error) {
	u, err := url.Parse(target)
	if err != nil {
		return nil, fmt.Errorf("parse the emulator's address: %w", err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for functions: %w", err)
	}
	w := &watch{addr: ln.Addr().String(), target: u, ended: make(chan error, 1), processes: map[string]*process{}}
	w.proxy = &httputil.ReverseProxy{
		Rewrite:        w.rewrite,
		ModifyResponse: w.handOut,
		ErrorHandler: func(rw http.ResponseWriter, _ *http.Request, _ error) {
			rw.WriteHeader(http.StatusBadGateway) // the process died, or the run ends: there is nobody to tell
		},
	}
	w.srv = &http.Server{Handler: w, ReadHeaderTimeout: 10 * time.Second}
	go func() { w.ended <- w.srv.Serve(ln) }()
	return w, nil
}

// newProcess makes a process of a worker, with an address of its own.
func (w *watch) newProcess(of *worker) *process {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last++
	p := &process{worker: of, id: strconv.Itoa(w.last)}
	w.processes[p.id] = p
	return p
}

func (w *watch) forget(p *process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.processes, p.id)
}

func (w *watch) find(id string) *process {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.processes[id]
}

// asker is the context key of the process that a request came from.
type asker struct{}

// ServeHTTP notes what a process asks or answers and passes it on.
func (w *watch) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	id, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	p := w.find(id)
	if p == nil {
		http.NotFound(rw, r)
		return
	}
	r.URL.Path = "/_runtime/" + p.Name + "/" + rest
	r = r.WithContext(context.WithValue(r.Context(), asker{}, p))
	switch request, verb := invocation(rest); verb {
	case "next":
		p.asks()
	case "response", "error":
		if !w.takeIn(rw, r, p, request, verb) {
			return
		}
	}
	w.proxy.ServeHTTP(rw, r)
}

// invocation reads runtime/invocation/next and runtime/invocation/<id>/<verb>.
func invocation(path string) (id, verb string) {
	tail, ok := strings.CutPrefix("/"+path, runtimeAPI+"invocation/")
	if !ok {
		return "", ""
	}
	if id, verb, ok = strings.Cut(tail, "/"); !ok {
		return "", id
	}
	return id, verb
}

// takeIn reads an answer and ends the invocation. Of an answer that comes too late, or is too large, nothing reaches
// kumo; what Lambda says of a large one is the invocation's result.
func (w *watch) takeIn(rw http.ResponseWriter, r *http.Request, p *process, id, verb string) bool {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxPayload+1))
	if err != nil {
		http.Error(rw, "the answer broke off", http.StatusBadRequest)
		return false
	}
	if !p.end(id) {
		http.Error(rw, "the invocation has ended", http.StatusBadRequest)
		return false
	}
	if len(body) > maxPayload && verb == "response" {
		w.fail(p.Name, id, "Function.ResponseSizeTooLarge", "Response payload size exceeded maximum allowed payload size (6291556 bytes).")
		http.Error(rw, "the answer is too large", http.StatusRequestEntityTooLarge)
		return false
	}
	r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	return true
}

func (w *watch) rewrite(p *httputil.ProxyRequest) {
	p.SetURL(w.target)
	p.Out.Host = w.target.Host
}

// handOut notes who got an invocation, and puts our deadline and a real ARN on it. An invocation that was taken for a
// process that has died meanwhile fails here: nobody else would know of it.
func (w *watch) handOut(resp *http.Response) error {
	id := resp.Header.Get("Lambda-Runtime-Aws-Request-Id")
	p, ok := resp.Request.Context().Value(asker{}).(*process)
	if !ok || id == "" {
		return nil
	}
	until, ok := p.begin(id)
	if !ok {
		w.fail(p.Name, id, "Runtime.ExitError", "Runtime exited")
		return errGone
	}
	resp.Header.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(until.UnixMilli(), 10))
	resp.Header.Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:"+region+":"+account+":function:"+p.Name)
	return nil
}

var errGone = errors.New("the process has ended")

// register makes kumo take the function for one that processes serve. An answer to an invocation that does not exist
// does that and nothing else.
func (w *watch) register(ctx context.Context, function string) error {
	if err := w.post(ctx, function, "none", "response", nil); err != nil {
		return fmt.Errorf("register function %s: %w", function, err)
	}
	return nil
}

// fail ends an invocation in the name of the process that cannot.
func (w *watch) fail(function, id, kind, message string) {
	body, err := json.Marshal(map[string]string{"errorType": kind, "errorMessage": message})
	if err != nil {
		slog.Error("function error could not be encoded", "function", function, "err", err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	// If kumo is gone, so is whoever waits for the answer.
	_ = w.post(ctx, function, id, "error", body)
}

func (w *watch) post(ctx context.Context, function, id, verb string, body []byte) error {
	u := w.target.JoinPath("_runtime", function, runtimeAPI, "invocation", id, verb)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		return fmt.Errorf("the Runtime API answered %s", resp.Status)
	}
	return nil
}

// Close stops listening.
func (w *watch) Close() error {
	err := w.srv.Close()
	if served := <-w.ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
