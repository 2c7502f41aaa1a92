package settings

import (
	"slices"
	"strings"
	"unicode"

	"bulksigner/internal/profile"
)

// UploadPrefix is where the API puts what it takes in. No watched folder reaches below it.
const UploadPrefix = "uploads/"

// maxPrefix leaves room for a file's name within the 850 characters that a path may have.
const maxPrefix = 512

// storage reads the watched folders. profiles are those that a folder may name.
func (r reader) storage(b *block, profiles []profile.Profile) Storage {
	s := Storage{ReconcileMinutes: int(b.number("ReconcileMinutes", reconcile))}
	names, prefixes := map[string]string{}, map[string]string{}
	for _, inner := range b.blocks("Inputs") {
		in := r.input(inner, profiles)
		inner.unique(names, "Name", in.Name)
		inner.uniquePrefix(prefixes, in.Prefix)
		s.Inputs = append(s.Inputs, in)
	}
	if len(s.Inputs) == 0 && !b.isUnread("Inputs") {
		s.Inputs = b.wholeBucket(profiles)
	}
	b.end()
	return s
}

// wholeBucket gives everything to the default profile. It gives nothing where no profile takes files.
func (b *block) wholeBucket(profiles []profile.Profile) []Input {
	if len(profiles) > 0 && !slices.ContainsFunc(profiles, takesFiles) {
		return nil
	}
	if _, ok := profileNamed(profiles, profile.Default); !ok && len(profiles) > 0 {
		b.fault("Inputs", `is empty, so that every file goes to the profile "default", which does not exist`,
			`add folders that name a profile, or a profile "default"`)
	}
	return []Input{{Name: profile.Default, Profile: profile.Default}}
}

func takesFiles(p profile.Profile) bool { return p.Method != profile.SignerFolder }

func (r reader) input(b *block, profiles []profile.Profile) Input {
	in := Input{
		Name:              b.text("Name", profile.Default),
		Prefix:            b.text("Prefix", ""),
		Profile:           b.text("Profile", profile.Default),
		IgnoredExtensions: b.ignored("IgnoredExtensions", nil),
		IgnoredPrefixes:   b.ignored("IgnoredPrefixes", nil),
	}
	if !profile.ValidName(in.Name) || in.Name+"/" == UploadPrefix {
		b.fault("Name", `is not 1 to 40 lowercase letters, digits and hyphens, or is "uploads"`, `choose a name like "contracts"`)
	}
	if message := badPrefix(in.Prefix); message != "" {
		b.fault("Prefix", message, `set a prefix like "in/contracts/"`)
	} else if !b.has("Prefix") {
		b.fault("Prefix", "is missing", `set a prefix like "in/contracts/", or "" to watch the whole bucket`)
	}
	switch p, ok := profileNamed(profiles, in.Profile); {
	case ok && takesFiles(p):
		in.Profile = p.Name
	case ok:
		b.fault("Profile", "names a SignerFolder profile, which takes no files", "name a profile of another Method, or remove the folder")
	case len(profiles) > 0: // without any, that is the fault
		b.fault("Profile", "names no profile of Signing:Profiles", `name one, or add a profile "default" and leave the key out`)
	}
	b.end()
	return in
}

func profileNamed(profiles []profile.Profile, name string) (profile.Profile, bool) {
	i := slices.IndexFunc(profiles, func(p profile.Profile) bool { return strings.EqualFold(p.Name, name) })
	if i < 0 {
		return profile.Profile{}, false
	}
	return profiles[i], true
}

func badPrefix(s string) string {
	switch {
	case s == "":
		return ""
	case strings.HasPrefix(s, "/"):
		return "begins with a slash, as no key of a file does"
	case !strings.HasSuffix(s, "/"):
		return "does not end in a slash"
	case strings.HasPrefix(s, UploadPrefix):
		return "lies within uploads/, where the API puts its files"
	case len(s) > maxPrefix || strings.ContainsFunc(s, unicode.IsControl):
		return "is longer than 512 bytes or has control characters"
	case slices.ContainsFunc(strings.Split(s[:len(s)-1], "/"), func(e string) bool { return e == "" || e == "." || e == ".." }):
		return "has an element that is empty or made of dots"
	}
	return ""
}

// uniquePrefix refuses two folders at one place. Keys in S3 have case, so that In/ and in/ are two places.
func (b *block) uniquePrefix(seen map[string]string, prefix string) {
	if !b.has("Prefix") || b.isUnread("Prefix") {
		return
	}
	if first, taken := seen[prefix]; taken {
		b.fault("Prefix", "is the same as "+first, "give each folder a prefix of its own")
		return
	}
	seen[prefix] = join(b.path, "Prefix")
}

// ignored reads endings or beginnings of file names. An empty one would ignore every file.
func (b *block) ignored(key string, otherwise []string) []string {
	all := b.texts(key, otherwise)
	for i, s := range all {
		if s == "" || len(s) > 64 || strings.Contains(s, "/") {
			b.fault(index(key, i), "is empty, longer than 64 bytes or has a slash", "set part of a file's name")
		}
	}
	return all
}

// Folder finds the watched folder that a key of the input bucket belongs to, which is the one with the longest matching
// prefix, and the file's name in it. Uploads belong to none, nor does a folder's own marker.
func (s Settings) Folder(key string) (in Input, name string, ok bool) {
	if strings.HasPrefix(key, UploadPrefix) {
		return Input{}, "", false
	}
	for _, candidate := range s.Storage.Inputs {
		rest, matches := strings.CutPrefix(key, candidate.Prefix)
		if matches && (!ok || len(candidate.Prefix) > len(in.Prefix)) {
			in, name, ok = candidate, rest, true
		}
	}
	if name == "" {
		return Input{}, "", false
	}
	return in, name, ok
}

// Ignored reports whether a folder leaves a file where it is, and why. name is what Folder returned.
func (s Settings) Ignored(in Input, name string) (reason string, ignored bool) {
	file := name[strings.LastIndexByte(name, '/')+1:]
	if file == "" {
		return "it is a folder", true
	}
	for _, ext := range slices.Concat(s.WatchedFolder.IgnoredExtensions, in.IgnoredExtensions) {
		if strings.HasSuffix(strings.ToLower(file), strings.ToLower(ext)) {
			return "extension " + ext, true
		}
	}
	for _, prefix := range slices.Concat(s.WatchedFolder.IgnoredPrefixes, in.IgnoredPrefixes) {
		if strings.HasPrefix(file, prefix) {
			return "prefix " + prefix, true
		}
	}
	return "", false
}
