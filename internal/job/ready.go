package job

// Ready is one row of the readiness report.
type Ready struct {
	Name   string
	OK     bool
	Gates  bool   // a red row that gates takes the service out of rotation
	Detail string // for operators: no secrets, nothing of what Lacuna Signer wrote
}

// Flight is the pipeline's switch and what is in flight.
type Flight struct {
	Pipeline
	InFlight map[string]int // jobs in Processing and Verifying by format
}
