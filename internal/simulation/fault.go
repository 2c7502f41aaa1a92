package simulation

import "slices"

// Fault is what happens to a call.
type Fault int

// The faults.
const (
	none     Fault = iota
	die            // the run dies before the effect
	dieAfter       // … after the effect, before the reply
	landLate       // … after it was sent, and the effect comes some time later
	fail           // an error, without the effect
	lose           // an error, with the effect
	again          // the SDK misses the first reply and sends the call once more
	throttle       // the service asks to slow down
	unwell         // an answer that is not the service's own, without the effect
	stall          // no reply, and no effect, until the run's time is up
	hang           // no reply, but the effect, until the run's time is up
	stale          // an answer of a moment ago
	lie            // a signature that is none
)

var faultNames = [...]string{"nothing", "dies before it", "dies after it", "dies, and it lands later", "it fails", "its reply is lost",
	"it is sent twice", "it is throttled", "something else answers", "it stalls until time is up", "it happens, and hangs until time is up", "it tells an old state", "it gives garbage"}

// String says what happens.
func (f Fault) String() string { return faultNames[f] }

// signerCalls are Lacuna Signer's.
var signerCalls = setOf("upload to signer", "create document", "read document", "download document", "cancel document", "list folder", "read folder",
	"ask for the action URL", "start the signature", "hand the signature over")

// repeated are the writes that an SDK sends again by itself.
var repeated = setOf("save job", "take in", "retake", "discover", "retry job", "save dispatched job", "remove job", "put output", "complete upload", "create upload", "abort upload",
	"delete input", "save pass", "lease pass", "turn switch", "ring")

// once are the calls that must not be sent twice, and change something.
var once = setOf("ask the key", "create document", "upload to signer", "start the signature", "hand the signature over", "cancel document")

// lasting are the calls whose effect matters however late it comes.
var lasting = setOf("save job", "save dispatched job", "put output", "complete upload", "delete input", "ask the key", "create document",
	"hand the signature over", "cancel document", "take in", "retake", "discover", "retry job", "remove job", "turn switch")

// writes are the calls that write a job under a condition. One whose reply is lost has been made all the same.
var writes = setOf("save job", "save dispatched job", "take in", "retake", "discover", "retry job")

// remembered are Lacuna Signer's answers that may be of a moment ago.
var remembered = setOf("read document", "list folder")

// dull are the calls that never change what is promised: breaking them in one way is enough.
var dull = setOf("write event", "unring", "note what was seen", "degrade profile", "restore profile", "count messages", "read the last bell")

// faultsAt lists what can happen to a call.
func faultsAt(name string) []Fault {
	switch {
	case dull[name]:
		return []Fault{fail}
	case !repeated[name] && !once[name]: // it only reads: who dies here might as well have died after the write before
		faults := []Fault{fail, stall}
		if remembered[name] {
			faults = append(faults, stale)
		}
		return faults
	}
	faults := []Fault{die, dieAfter, fail, lose, throttle, hang}
	if signerCalls[name] {
		faults = append(faults, unwell)
	}
	if repeated[name] {
		faults = append(faults, again)
	}
	if lasting[name] {
		faults = append(faults, landLate)
	}
	if name == "ask the key" {
		faults = append(faults, lie)
	}
	return slices.Clip(faults)
}

func setOf(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	return set
}
