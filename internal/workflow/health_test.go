package workflow_test

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// healthScene is a scene whose recovery is listened to.
type healthScene struct {
	*scene
	meter *workflowtest.Meter
}

// newHealthScene has no profile yet. It must be called inside a bubble.
func newHealthScene(t *testing.T) *healthScene {
	t.Helper()
	s := &healthScene{newScene(t), &workflowtest.Meter{}}
	s.w.Meter, s.w.Remote.PollEvery = s.meter, time.Minute
	p := s.Profile("p")
	p.Enabled = false
	s.SetProfile(p)
	return s
}

// told runs one pass of the recovery and returns what it told.
func (s *healthScene) told(t *testing.T) map[string]float64 {
	t.Helper()
	if _, err := s.wake(); err != nil {
		t.Error(err)
	}
	return s.meter.Levels()
}

// note has a certificate read that is good for so long.
func (s *healthScene) note(t *testing.T, p profile.Profile, d time.Duration) {
	t.Helper()
	if err := workflow.NoteEnd(t.Context(), s.World, p, &x509.Certificate{NotAfter: time.Now().Add(d)}, time.Now()); err != nil {
		t.Fatal(err)
	}
}

// levels are the gauges about profiles: how many are degraded, and days by profile.
func levels(degraded float64, days map[string]float64) map[string]float64 {
	all := map[string]float64{job.MetricDegraded + "{}": degraded}
	for name, d := range days {
		all[job.MetricCertificateDays+"{"+job.LabelProfile+","+name+"}"] = d
	}
	return all
}

// inFile is a profile whose certificate nobody can read without its password.
func inFile(name string) profile.Profile {
	return profile.Profile{Name: name, Enabled: true, Method: profile.Local, Certificate: &profile.Certificate{Source: profile.Pfx,
		Pfx: &profile.PfxKey{Location: "s3://containers/" + name + ".p12", Password: "arn:aws:secretsmanager:sa-east-1:111122223333:secret:p"}}}
}

// inside is a profile with a certificate that stands in it.
func inside(name, certificate string) profile.Profile {
	return profile.Profile{Name: name, Enabled: true, Method: profile.Local, Certificate: &profile.Certificate{Source: profile.Kms,
		Kms: &profile.KmsKey{KeyID: "alias/a", Certificate: certificate}}}
}

func encoded(certs ...*x509.Certificate) (all string) {
	for _, c := range certs {
		all += string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}))
	}
	return all
}

const dayLong = 24 * time.Hour

func TestHealth(t *testing.T) {
	t.Parallel()
	left := map[string]float64{"q": float64(opened.Certificate.NotAfter.Sub(day) / dayLong)}
	with := func(p profile.Profile, change func(*profile.Profile)) profile.Profile {
		change(&p)
		return p
	}
	tests := []struct {
		name     string
		profile  profile.Profile
		noted    time.Duration // 0: nobody read the certificate
		degraded float64
		days     map[string]float64
	}{
		{"a certificate that nobody has read", inFile("q"), 0, 0, nil},
		{"a month", inFile("q"), 30 * dayLong, 0, map[string]float64{"q": 30}},
		{"less than a day", inFile("q"), dayLong - time.Second, 0, map[string]float64{"q": 0}},
		{"it has just ended", inFile("q"), -time.Second, 1, map[string]float64{"q": -1}},
		{"it ended two days ago", inFile("q"), -2 * dayLong, 1, map[string]float64{"q": -2}},
		{"switched off", with(inFile("q"), func(p *profile.Profile) { p.Enabled = false }), -dayLong, 0, nil},
		{"it could not sign", with(inFile("q"), func(p *profile.Profile) { p.Degraded.Code = string(fault.KeyUnavailable) }), 30 * dayLong, 1, map[string]float64{"q": 30}},
		{"a person signs", with(inFile("q"), func(p *profile.Profile) { p.Method = profile.LacunaSigner }), 30 * dayLong, 0, nil},
		{"it stands in the profile", inside("q", encoded(opened.Certificate)), 0, 0, left},
		{"it stands there behind its authorities", inside("q", encoded(append(opened.Chain, opened.Certificate)...)), 0, 0, left},
		{"what stands there is none", inside("q", "none"), 0, 1, nil},
		{"it lies elsewhere", inside("q", "s3://certificates/q.pem"), 0, 0, nil},
		{"it lies elsewhere and was read", inside("q", "s3://certificates/q.pem"), 7 * dayLong, 0, map[string]float64{"q": 7}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newHealthScene(t)
				s.SetProfile(tt.profile)
				if tt.noted != 0 {
					s.note(t, tt.profile, tt.noted)
				}
				if diff := cmp.Diff(levels(tt.degraded, tt.days), s.told(t)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestWhatEndsFirstIsToldFirst: a recorder that takes no more leaves out those that last longest.
func TestWhatEndsFirstIsToldFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newHealthScene(t)
		for name, days := range map[string]time.Duration{"a": 90, "b": 7, "c": 365, "d": 30} {
			s.SetProfile(inFile(name))
			s.note(t, inFile(name), days*dayLong)
		}
		var told []string
		err := s.w.Health(t.Context(), func(_ string, _ float64, labels ...string) {
			if len(labels) == 2 {
				told = append(told, labels[1])
			}
		})
		if want := []string{"b", "d", "a", "c"}; err != nil || !cmp.Equal(told, want) {
			t.Errorf("told of %v, %v, want %v", told, err, want)
		}
	})
}

// TestAServiceWithoutSigner has profiles that need it.
func TestAServiceWithoutSigner(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newHealthScene(t)
		s.SetProfile(profile.Profile{Name: "q", Enabled: true, Method: profile.LacunaSigner})
		s.w.Remote.PollEvery = 0
		if diff := cmp.Diff(levels(1, nil), s.told(t)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestHealthIsToldByTheHour: once an hour, by whichever environment, and again soon where it could not be told.
func TestHealthIsToldByTheHour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newHealthScene(t)
		s.SetProfile(inFile("q"))
		s.note(t, inFile("q"), 30*dayLong)
		s.BreakNext("list profiles", workflowtest.FailBefore)
		var told []int
		for minute := range 150 {
			s.wake()
			if s.meter.Levels() != nil {
				told = append(told, minute)
			}
			time.Sleep(time.Minute)
		}
		if want := []int{1, 61, 121}; !cmp.Equal(told, want) {
			t.Errorf("told in the minutes %v, want %v", told, want)
		}
	})
}

// TestANoteIsAboutOneCertificate: it counts while the profile's certificate block is the one that was read, whatever else is
// saved.
func TestANoteIsAboutOneCertificate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newHealthScene(t)
		p := inFile("q")
		steps := []struct {
			name string
			do   func()
			want map[string]float64
		}{
			{"it is read", func() { s.note(t, p, 30*dayLong) }, map[string]float64{"q": 30}},
			{"something else is changed", func() { p.Verify = true }, map[string]float64{"q": 30}},
			{"a new one lies at the old place", func() { s.note(t, p, 365*dayLong) }, map[string]float64{"q": 365}},
			{"another place", func() { p.Certificate = inFile("other").Certificate }, nil},
			{"it is read there", func() { s.note(t, p, 90*dayLong) }, map[string]float64{"q": 90}},
			{"the same one at a third place", func() { p.Certificate = inFile("third").Certificate; s.note(t, p, 90*dayLong) }, map[string]float64{"q": 90}},
		}
		for _, step := range steps {
			step.do()
			s.SetProfile(p)
			if err := s.w.Health(t.Context(), s.meter.Gauge); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(levels(0, step.want), s.meter.Levels()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", step.name, diff)
			}
		}
	})
}

// TestANoteIsWrittenOnce: who opens the same key again writes nothing.
func TestANoteIsWrittenOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newHealthScene(t)
		for range 3 {
			s.note(t, inFile("q"), 30*dayLong)
		}
		if n := s.CountSteps("save pass"); n != 1 {
			t.Errorf("it was written %d times, want once", n)
		}
	})
}

// TestTwoNotes are made at the same time: the first stands, and the second is no failure.
func TestTwoNotes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newHealthScene(t)
		p := inFile("q")
		if _, err := s.Lease(t.Context(), "certificate:q", "somebody", time.Now(), time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		s.note(t, p, 30*dayLong)
		time.Sleep(2 * time.Second)
		s.note(t, p, 30*dayLong)
		if n := s.CountSteps("save pass"); n != 1 {
			t.Errorf("%d notes were written, want the second", n)
		}
	})
}

// TestASaveNotesTheEnd: the API opens the key of a new certificate, and only what was saved is noted.
func TestASaveNotesTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, k := newKeeperScene(t)
		meter := &workflowtest.Meter{}
		s.w.Meter = meter
		p := profile.Profile{Name: "q", Enabled: true, Method: profile.SignerFolder, Certificate: kmsBlock, SignerFolder: bound}
		k.taken = "other"
		if _, err := s.w.SaveProfile(t.Context(), p, 0); !errors.Is(err, fault.ProfileFolderTaken) || s.CountSteps("open key") != 1 {
			t.Fatalf("SaveProfile = %v after %d looks at the key, want a folder that is taken", err, s.CountSteps("open key"))
		}
		if n := s.CountSteps("save pass"); n != 0 {
			t.Errorf("%d ends were noted of what was not saved", n)
		}
		k.taken = ""
		saved, err := s.w.SaveProfile(t.Context(), p, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.w.SaveProfile(t.Context(), saved, 1); err != nil {
			t.Fatal(err)
		}
		if err := s.w.Health(t.Context(), meter.Gauge); err != nil {
			t.Fatal(err)
		}
		want := float64(opened.Certificate.NotAfter.Sub(day) / dayLong)
		if got := meter.Levels()[job.MetricCertificateDays+"{profile,q}"]; got != want || s.CountSteps("open key") != 2 {
			t.Errorf("%v days are told after %d looks, want %v after two", got, s.CountSteps("open key"), want)
		}
	})
}

// TestReadEnds opens what nobody has read, and leaves the rest alone.
func TestReadEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newHealthScene(t)
		off := inFile("off")
		off.Enabled = false
		for _, p := range []profile.Profile{off, inFile("read"), inFile("unread"), inFile("broken"), inside("inside", encoded(opened.Certificate)),
			{Name: "people", Enabled: true, Method: profile.LacunaSigner}} {
			s.SetProfile(p)
		}
		s.note(t, inFile("read"), dayLong)
		seen := &openings{broken: "broken"}
		s.w.Keys = seen
		if err := s.w.ReadEnds(t.Context()); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"broken", "unread"}, seen.names); diff != "" {
			t.Errorf("what was opened (-want +got):\n%s", diff)
		}
		s.w.Profiles = unlisted{}
		if err := s.w.ReadEnds(t.Context()); err == nil {
			t.Error("that the profiles could not be listed is no failure")
		}
	})
}

// openings are keys that remember whose was opened.
type openings struct {
	broken string
	names  []string
}

func (o *openings) Open(_ context.Context, p profile.Profile) (profile.Key, error) {
	o.names = append(o.names, p.Name)
	if p.Name == o.broken {
		return profile.Key{}, fault.New(fault.KeyUnavailable, "no right to it")
	}
	return opened, nil
}
