package simulation

import (
	"maps"
	"math/bits"
	"slices"
	"strings"
	"time"

	"bulksigner/internal/job"
)

// digest hashes what tells two states apart. Names that are random are replaced by the order in which they came.
type digest struct {
	sum   uint64
	names map[string]uint64
}

func (d *digest) number(n uint64) {
	d.sum = bits.RotateLeft64((d.sum^n)*0x9E3779B97F4A7C15, 29) + 0x85EBCA6B
}

func (d *digest) text(s string) {
	h := uint64(14695981039346656037) // FNV-1a
	for n := range len(s) {
		h = (h ^ uint64(s[n])) * 1099511628211
	}
	d.number(h)
}

func (d *digest) flag(b bool) {
	if b {
		d.number(1)
		return
	}
	d.number(0)
}

// name hashes a random name.
func (d *digest) name(s string) {
	n, ok := d.names[s]
	if !ok {
		n = uint64(len(d.names))
		d.names[s] = n
	}
	d.number(n)
}

// time hashes a time as it is stored.
func (d *digest) time(t time.Time) { d.number(uint64(t.UnixMilli())) }

// mix adds a call to what an invocation has met.
func mix(history uint64, call string, f uint64, world uint64) uint64 {
	d := digest{sum: history}
	d.text(call)
	d.number(f)
	d.number(world)
	return d.sum
}

// worldly hashes the world, but for who is at work in it.
func (s *simulation) worldly() uint64 {
	d := &digest{names: map[string]uint64{"": 0}}
	d.time(time.Now())
	for _, j := range s.jobs {
		d.job(j)
	}
	s.remember(d)
	s.records(d)
	s.kept(d)
	s.remote(d)
	return d.sum
}

func (d *digest) job(j job.Job) {
	d.name(string(j.ID))
	d.name(string(j.ParentID))
	d.text(string(j.Status) + string(j.Code) + string(j.Method) + j.Output.Key + j.Output.UploadID + j.Remote.DocumentID + j.Remote.ActionID + j.Object.VersionID)
	d.name(j.Claim.Owner)
	for _, t := range []time.Time{j.Claim.Until, j.Marked, j.Since, j.QueuedAt, j.CreatedAt} {
		d.time(t)
	}
	for _, n := range []int{int(j.Version), j.Deaths, j.Remote.Failures, len(j.History)} {
		d.number(uint64(n))
	}
}

// remember hashes messages, what people have done, and what is still to come.
func (s *simulation) remember(d *digest) {
	for _, q := range []*queue{&s.work, &s.checks} {
		for _, m := range q.messages() {
			d.message(m)
			d.number(uint64(q.receives[m]))
		}
		d.number(uint64(len(q.dealt)))
	}
	for _, l := range s.late {
		d.text(l.of.kind + l.name)
		d.time(l.of.hard)
	}
	for _, k := range slices.Sorted(maps.Keys(s.acted)) {
		d.text(k)
		d.number(uint64(s.acted[k]))
	}
	d.text(strings.Join(s.due, " "))
	d.number(uint64(s.pauses))
	d.flag(s.settled == s.signature())
}

// message hashes a message; a doorbell names a job.
func (d *digest) message(body string) {
	if m, err := job.ParseMessage(body); err == nil && m.Job != "" {
		d.name(string(m.Job))
		return
	}
	d.text(body)
}

// kept hashes buckets, switch and passes.
func (s *simulation) kept(d *digest) {
	for _, key := range s.world.OutputKeys() {
		_, owner := s.world.Output(key)
		d.text(key)
		d.name(string(owner))
	}
	for _, o := range s.scenario.dropped(s) {
		now, visible := s.world.Visible(o.Key)
		d.flag(visible)
		d.text(now.VersionID)
	}
	d.number(uint64(s.world.OpenUploads()))
	d.number(uint64(s.world.Keys.Count()))
	d.flag(s.pausedNow())
	for _, name := range []string{"recover", "poll", "sweep", "rescan", "clear"} {
		p := s.pass(name)
		d.time(p.Until)
		d.time(p.NextAt)
		d.number(uint64(p.Fence))
		d.text(s.renamed(p.State))
	}
}

// records hashes what the table knows besides jobs, and which profiles cannot sign.
func (s *simulation) records(d *digest) {
	records := s.world.Records()
	for _, key := range slices.Sorted(maps.Keys(records)) {
		d.text(key)
		d.name(string(records[key]))
	}
	for _, name := range []string{"p", "f"} {
		d.text(s.world.Profile(name).Degraded.Code)
	}
}

// renamed takes the random names of jobs out of a text, also of those that were deleted.
func (s *simulation) renamed(text string) string {
	for n, id := range slices.Sorted(maps.Keys(s.watch.jobs)) {
		text = strings.ReplaceAll(text, string(id), string(rune('A'+n%26)))
	}
	return text
}

// remote hashes what is at Lacuna Signer.
func (s *simulation) remote(d *digest) {
	for _, id := range slices.Sorted(maps.Keys(s.signer.Documents)) {
		doc := s.signer.Documents[id]
		d.text(id + string(doc.Status))
		d.name(string(doc.Created.Job))
		for _, a := range doc.Actions {
			d.text(a.Status)
			d.number(uint64(doc.Accepted[a.ID]))
		}
		old, read := s.signer.before[id]
		d.flag(read)
		d.text(string(old.Status))
	}
	d.number(uint64(len(s.signer.listed)))
	d.number(uint64(len(s.signer.Uploads)))
	d.number(s.watch.digest())
}

// state hashes the world and who is at work in it. Who is at work is where its calls so far, and all that they met, have
// brought it.
func (s *simulation) state() uint64 {
	d := &digest{sum: s.hash}
	for _, i := range s.alive {
		d.text(i.kind)
		d.number(i.history)
		d.number(uint64(i.skew))
		d.time(i.hard)
		if i.call != nil {
			d.text(i.call.name)
		}
		d.flag(i == s.current)
	}
	return d.sum
}
