package main

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// change is what a deployment does to one resource.
type change struct {
	id        string
	was, is   resource
	kind      action
	details   []detail // of a changed or replaced one
	because   []string // the properties, or the replaced resources, that make it be replaced
	uncertain bool     // of a type of which nobody knows what replaces it
}

type action int

const (
	added action = iota
	changed
	replaced
	removed
)

// detail is a property that is another. Nothing stands for one that is not there.
type detail struct {
	path    string
	was, is any
}

// compare finds what differs between two templates, in the order of the resources' names.
func compare(was, is template) []change {
	var all []change
	ids := maps.Clone(is.Resources)
	maps.Copy(ids, was.Resources)
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		a, before := was.Resources[id]
		b, after := is.Resources[id]
		switch {
		case !before:
			all = append(all, change{id: id, is: b, kind: added})
		case !after:
			all = append(all, change{id: id, was: a, kind: removed})
		default:
			if c, differs := compareOne(id, a, b); differs {
				all = append(all, c)
			}
		}
	}
	return follow(all, is)
}

// compareOne tells how a resource that is in both templates differs.
func compareOne(id string, a, b resource) (c change, differs bool) {
	c = change{id: id, was: a, is: b, kind: changed, details: details("", a.Properties, b.Properties)}
	if c.because = replacing(b.Type, c.details); a.Type != b.Type {
		c.because = []string{"Type"}
	}
	if len(c.because) > 0 {
		c.kind = replaced
	}
	_, known := lasting[b.Type]
	c.uncertain = !known && len(c.details) > 0
	c.details = append(c.details, policies(a, b)...)
	return c, len(c.details) > 0 || c.kind == replaced
}

func policies(a, b resource) (all []detail) {
	if a.DeletionPolicy != b.DeletionPolicy {
		all = append(all, detail{"DeletionPolicy", a.DeletionPolicy, b.DeletionPolicy})
	}
	if a.UpdateReplacePolicy != b.UpdateReplacePolicy {
		all = append(all, detail{"UpdateReplacePolicy", a.UpdateReplacePolicy, b.UpdateReplacePolicy})
	}
	return all
}

// details lists the properties that differ, each by its path, as deep as both sides have the same shape.
func details(path string, a, b map[string]any) (all []detail) {
	names := map[string]any{}
	maps.Copy(names, a)
	maps.Copy(names, b)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		all = append(all, differing(strings.TrimPrefix(path+"."+name, "."), a[name], b[name])...)
	}
	return all
}

// differing compares two values at a path.
func differing(path string, a, b any) (all []detail) {
	if reflect.DeepEqual(a, b) {
		return nil
	}
	x, deep := a.(map[string]any)
	y, too := b.(map[string]any)
	if deep && too && !isFunction(x) && !isFunction(y) {
		return details(path, x, y)
	}
	v, deep := a.([]any)
	w, too := b.([]any)
	if !deep || !too || len(v) != len(w) {
		return []detail{{path, a, b}}
	}
	for i := range v {
		all = append(all, differing(path+"."+strconv.Itoa(i), v[i], w[i])...)
	}
	return all
}

// tagsAlone reports whether nothing but tags differs.
func (c change) tagsAlone() bool {
	return c.kind == changed && !slices.ContainsFunc(c.details, func(d detail) bool { return d.path != "Tags" && !strings.HasPrefix(d.path, "Tags.") })
}

// isFunction reports whether an object is a function of CloudFormation.
func isFunction(v map[string]any) bool {
	for name := range v {
		if len(v) == 1 && (name == "Ref" || strings.HasPrefix(name, "Fn::")) {
			return true
		}
	}
	return false
}

// replacing are the properties among those that differ by which a resource is made anew.
func replacing(kind string, others []detail) (names []string) {
	for _, d := range others {
		name, _, _ := strings.Cut(d.path, ".")
		if (slices.Contains(lasting[kind], name) || slices.Contains(lasting[kind], "*")) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// follow finds what is replaced since something that it is built on is, until nothing more is.
func follow(all []change, is template) []change {
	for {
		n := len(all)
		grew := false
		for i := range n {
			if all[i].kind == replaced {
				all, grew = followOne(all, is, all[i].id, grew)
			}
		}
		if !grew {
			slices.SortFunc(all, func(a, b change) int { return strings.Compare(a.id, b.id) })
			return all
		}
	}
}

func followOne(all []change, is template, id string, grew bool) ([]change, bool) {
	for _, other := range slices.Sorted(maps.Keys(is.Resources)) {
		r := is.Resources[other]
		if other == id || !builtOn(r, id) {
			continue
		}
		i := slices.IndexFunc(all, func(c change) bool { return c.id == other })
		if i < 0 {
			all = append(all, change{id: other, was: r, is: r, kind: changed})
			i = len(all) - 1
		}
		if all[i].kind == changed {
			all[i].kind, all[i].because, grew = replaced, append(all[i].because, plainID(id)), true
		}
	}
	return all, grew
}

// builtOn reports whether a resource is made anew when another is.
func builtOn(r resource, id string) bool {
	for name, v := range r.Properties {
		if (slices.Contains(lasting[r.Type], name) || slices.Contains(lasting[r.Type], "*")) && refersTo(v, id) {
			return true
		}
	}
	return false
}
