package trial

import (
	"fmt"
	"slices"

	"bulksigner/internal/fault"
	"bulksigner/scripts/conformance/corpus"
	"bulksigner/scripts/conformance/judge"
)

// enough is how many judges that are not ours must approve of a signature.
const enough = 2

// Faults says why a row is not as expected, after the judges were heard. A judge that is not there is missed by nobody.
func Faults(r *Row, tools []Tool) []string {
	tools = slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool { return t.Missing != nil || !t.Judges(r.Form.Format) })
	switch {
	case r.Outcome.Refused != "":
		return r.refusal()
	case r.Altered:
		return r.approving(tools)
	}
	var faults []string
	if r.Entry.Verdict == corpus.Refuse {
		faults = append(faults, "it is signed")
	}
	if r.Outcome.Asked != 1 {
		faults = append(faults, fmt.Sprintf("the key is asked %d times", r.Outcome.Asked))
	}
	return append(faults, r.judged(tools)...)
}

// refusal says what is wrong with a refusal.
func (r *Row) refusal() (faults []string) {
	code := r.Outcome.Refused
	switch want := r.Entry.Code(); {
	case r.Entry.Verdict == corpus.Sign, code == fault.Internal:
		faults = append(faults, "it is refused: "+r.Outcome.Detail)
	case want != "" && code != want:
		faults = append(faults, fmt.Sprintf("it is refused with %s, not %s", code, want))
	}
	if r.Outcome.Asked != 0 {
		faults = append(faults, fmt.Sprintf("the key is asked %d times before the refusal", r.Outcome.Asked))
	}
	return faults
}

// judged lists the complaints about a signature, and whether too few approve of it.
func (r *Row) judged(tools []Tool) (faults []string) {
	approvals, could := 0, 0
	for _, t := range tools {
		err := r.Opinions[t.Name]
		if err != nil && !judge.Abstained(err) {
			faults = append(faults, fmt.Sprintf("%s: %v", t.Name, err))
		}
		if t.Outside && t.Maths {
			could++
			if err == nil {
				approvals++
			}
		}
	}
	if want := min(enough, could); approvals < want {
		faults = append(faults, fmt.Sprintf("%d outside judges approve, want %d", approvals, want))
	}
	return faults
}

// approving lists the judges that approve of an altered document.
func (r *Row) approving(tools []Tool) (faults []string) {
	for _, t := range tools {
		if t.Maths && r.Opinions[t.Name] == nil {
			faults = append(faults, t.Name+" does not notice that the document was altered")
		}
	}
	return faults
}

// Missing are the tools that are not there.
func (r *Result) Missing() []Tool {
	return slices.DeleteFunc(slices.Clone(r.Tools), func(t Tool) bool { return t.Missing == nil })
}

// Count counts the rows that are as expected, and those that are not.
func (r *Result) Count() (expected, not int) {
	for _, row := range r.Rows {
		if len(row.Faults) == 0 {
			expected++
		} else {
			not++
		}
	}
	return expected, not
}
