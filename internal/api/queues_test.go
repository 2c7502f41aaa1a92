package api_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

func TestQueues(t *testing.T) {
	t.Parallel()
	s := newService(t)
	wantJSON(t, s.send(t, "GET", "/api/queues", ""), 200, `{"queues":[]}`)
	s.queues = []job.QueueState{
		{Name: "work", Count: job.QueueCount{Waiting: 3, InFlight: 2, Delayed: 1}, Dead: &job.QueueCount{Waiting: 4, InFlight: 5, Delayed: 6}},
		{Name: "checks"},
	}
	wantJSON(t, s.send(t, "GET", "/api/queues", ""), 200, `{"queues":[
		{"name":"work","waiting":3,"inFlight":2,"delayed":1,"deadLetters":{"waiting":4,"inFlight":5,"delayed":6}},
		{"name":"checks","waiting":0,"inFlight":0,"delayed":0}]}`)
	s.fail["Queues"] = errors.New("SQS is down")
	wantProblem(t, s.send(t, "GET", "/api/queues", ""), 500, fault.Internal)
}

func TestRedrive(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.returned = job.Returned{Moved: 100, Left: 23}
	wantJSON(t, s.send(t, "POST", "/api/queues/work/redrive", ""), 200, `{"queue":"work","moved":100,"left":23}`)
	s.returned = job.Returned{}
	wantJSON(t, s.send(t, "POST", "/api/queues/work/redrive", "{}"), 200, `{"queue":"work","moved":0,"left":0}`)
	wantProblem(t, s.send(t, "POST", "/api/queues/checks/redrive", ""), 404, fault.RouteNotFound)
	for _, body := range []string{`{"most":7}`, "[]", "most=7"} {
		wantProblem(t, s.send(t, "POST", "/api/queues/work/redrive", body), 400, fault.RequestInvalid)
	}
	wantProblem(t, s.send(t, "POST", "/api/queues/work/redrive?most=7", ""), 400, fault.RequestInvalid)
	if d := cmp.Diff([]string{"Return|work|api", "Return|work|api", "Return|checks|api"}, s.told); d != "" {
		t.Errorf("told (-want +got):\n%s", d)
	}
	s.fail["Return"] = errors.New("SQS is down")
	wantProblem(t, s.send(t, "POST", "/api/queues/work/redrive", ""), 500, fault.Internal)
}
