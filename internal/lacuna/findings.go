package lacuna

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
)

// Bounds of what is told of a validation, which becomes part of a job's history.
const (
	maxValidation   = 1 << 20 // bytes of an answer: it has texts about every certificate of a chain
	maxFindings     = 20
	maxFindingDepth = 4
	maxWord         = 64 // characters
)

// findings is the result of a validation as it came. It is read on the way down, so that one nested deeply costs nothing,
// and one that cannot be read does not hide the verdict that it belongs to.
type findings struct{ json.RawMessage }

// findingsModel leaves out messages and details: they can quote anything.
type findingsModel struct {
	Errors        list[findingModel]
	Indeterminate list[findingModel] `json:"indeterminateItens"` // so spelt
	Warnings      list[findingModel]
}

type findingModel struct {
	Type  text
	Inner findings `json:"innerValidationResults"`
}

// types names the checks that failed, with those inside of them. If none did, it names those that came to no verdict, or
// the warnings.
func (f findings) types() []string { return f.collect(nil, 0) }

func (f findings) collect(found []string, depth int) []string {
	var m findingsModel
	if len(f.RawMessage) == 0 || depth == maxFindingDepth || json.Unmarshal(f.RawMessage, &m) != nil {
		return found
	}
	for _, kind := range []list[findingModel]{m.Errors, m.Indeterminate, m.Warnings} {
		for _, one := range kind.items {
			found = one.collect(found, depth)
		}
		if len(found) > 0 {
			return found
		}
	}
	return found
}

func (m findingModel) collect(found []string, depth int) []string {
	if t := printable(string(m.Type)); t != "" && len(found) < maxFindings && !slices.Contains(found, t) {
		found = append(found, t)
	}
	return m.Inner.collect(found, depth+1)
}

// printable is a short word of Signer's as it can be shown.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	return cut(strings.TrimSpace(s), maxWord)
}
