package workflow_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/lacuna"
	"bulksigner/internal/lacuna/lacunatest"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// BenchmarkSweep is a first and a second pass over 5 000 documents that wait in 20 folders for the same holder, through the
// real client, with a Signer that takes 50 ms for each answer.
func BenchmarkSweep(b *testing.B) {
	for _, skip := range []bool{false, true} {
		for _, n := range []int{1, 2} {
			b.Run(fmt.Sprintf("skip-unchanged=%t/pass=%d", skip, n), func(b *testing.B) { benchmarkSweep(b, skip, n) })
		}
	}
}

func benchmarkSweep(b *testing.B, skip bool, pass int) {
	for range b.N {
		b.StopTimer()
		s := newSweepBench(b, skip)
		for range pass - 1 {
			s.sweep(b)
		}
		before, steps := s.srv.Counts(), len(s.world.Steps())
		b.StartTimer()
		s.sweep(b)
		b.StopTimer()
		now := s.srv.Counts()
		b.ReportMetric(float64(now[lacunatest.List]-before[lacunatest.List]), "list-calls")
		b.ReportMetric(float64(now[lacunatest.Details]-before[lacunatest.Details]), "read-backs")
		reads := 0
		for _, step := range s.world.Steps()[steps:] {
			if step == "look for the pair" || step == "read what was seen" || step == "list profiles" {
				reads++
			}
		}
		b.ReportMetric(float64(reads), "table-reads")
		b.StartTimer()
	}
}

type sweepBench struct {
	srv   *lacunatest.Server
	world *workflowtest.World
	w     *workflow.Workflow
}

func newSweepBench(b *testing.B, skip bool) *sweepBench {
	b.Helper()
	const folders, each = 20, 250
	srv := lacunatest.NewServer(b, func(o *lacunatest.Options) { o.Latency = 50 * time.Millisecond })
	world := workflowtest.New(&workflowtest.Keys{Key: opened, Inner: key})
	cpf, _ := icpbrasil.HolderCPF(opened.Certificate)
	waiting := lacunatest.Action{Participant: profile.Participant{Name: "Maria", Email: "maria@example.com", Identifier: cpf}}
	for f := range folders {
		folder := srv.AddFolder(fmt.Sprintf("Pasta %d", f), "")
		world.SetProfile(profile.Profile{Name: fmt.Sprintf("p%02d", f), Enabled: true, Method: profile.SignerFolder,
			Certificate: &profile.Certificate{Source: profile.Kms}, SignerFolder: &profile.Binding{ID: folder, Name: "Pasta"}})
		for range each {
			srv.AddDocument(lacunatest.Document{FolderID: folder, Actions: []lacunatest.Action{waiting}})
		}
	}
	client := lacuna.New(lacuna.Options{Endpoint: srv.URL, Key: func(context.Context, bool) (string, error) { return srv.Key(), nil }})
	d := workflowtest.NewDiscoveries(world)
	return &sweepBench{srv, world, workflow.New(workflow.Parts{
		Jobs: world, Profiles: workflowtest.Profiles{World: world}, Passes: world, Queue: world, Keys: world.Keys, Signer: client,
		Discoveries: d, Journal: d, Bells: d, Remote: workflow.Remote{SweepEvery: time.Hour, SkipUnchanged: skip},
	})}
}

// sweep is one whole pass, by as many invocations as it needs.
func (s *sweepBench) sweep(b *testing.B) {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	now := time.Now()
	p, err := s.world.Lease(ctx, "sweep", "bench", now.Add(2*time.Hour), now)
	if err != nil {
		b.Fatal(err)
	}
	p.NextAt, p.Until = time.Time{}, now
	if err := s.world.SavePass(ctx, p); err != nil {
		b.Fatal(err)
	}
	if err := s.w.Sweep(ctx); err != nil {
		b.Fatal(err)
	}
}
