package settings

import "cmp"

// origins has, by folded key, what was set: by the named variable, or "" by the file. What is not there is a default.
type origins map[string]string

// note goes through what was read. A list comes from the first variable that changed it, if one did.
func (o origins) note(key string, n *node, variables map[string]string) (variable string) {
	if n.kind == null {
		return ""
	}
	if n.variable {
		variable = variables[foldKey(key)]
	}
	for _, m := range n.sorted() {
		variable = cmp.Or(variable, o.note(join(key, shown(m.name)), m.node, variables))
	}
	for i, item := range n.items {
		variable = cmp.Or(variable, o.note(index(key, i), item, variables))
	}
	o[foldKey(key)] = variable
	return variable
}
