package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"bulksigner/scripts/bench/identity"
	"bulksigner/scripts/bench/library"
	"bulksigner/scripts/bench/paper"
	"bulksigner/scripts/bench/race"
	"bulksigner/scripts/bench/tool"
)

// bench is what all comparisons of a run share.
type bench struct {
	dir    string // for what is signed, in memory if possible: disks are not compared
	npm    string // the folder with the packages of npm
	self   string // this program
	rounds int
	id     identity.Identity

	node   *tool.Node // nil without npm's packages
	noNode string     // why not
}

// open makes the folders and the keys.
func open(o options) (_ *bench, err error) {
	b := &bench{rounds: o.rounds}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	if b.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if b.dir, err = os.MkdirTemp(place(o.dir), "bulksigner-bench"); err != nil {
		return nil, err
	}
	if b.npm, err = os.MkdirTemp("", "bulksigner-npm"); err != nil {
		return nil, err
	}
	if b.id, err = identity.Make(b.dir, time.Now()); err != nil {
		return nil, err
	}
	return b, nil
}

// place is the folder that was asked for, or one in memory, or the usual one.
func place(asked string) string {
	const memory = "/dev/shm"
	if asked != "" {
		return asked
	}
	if info, err := os.Stat(memory); err == nil && info.IsDir() {
		return memory
	}
	return ""
}

// startNode starts @signpdf, once. Where it cannot be had the run goes on without: a peer that is not there is no error.
func (b *bench) startNode(ctx context.Context) (err error) {
	if b.node != nil || b.noNode != "" {
		return nil
	}
	if b.noNode = tool.Missing("npm", "npm"); b.noNode != "" {
		return nil
	}
	if err := tool.Install(ctx, b.npm); err != nil {
		b.noNode = "its packages cannot be installed: npm install " + tool.Packages[0]
		fmt.Fprintln(os.Stderr, err)
		return nil
	}
	b.node, err = tool.Start(ctx, b.npm, b.id)
	return err
}

func (b *bench) close() error {
	var err error
	if b.node != nil {
		err = b.node.Close()
	}
	for _, dir := range []string{b.dir, b.npm} {
		if dir != "" {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}
	return err
}

// file is a path for something that lives as long as a comparison.
func (b *bench) file(name string) string { return filepath.Join(b.dir, name) }

// step is one part of a run.
type step struct {
	title string
	node  bool // whether @signpdf takes part
	run   func(ctx context.Context, title string, w io.Writer) error
}

// do runs a step, and gets ready what only this kind of step needs.
func (b *bench) do(ctx context.Context, s step, w io.Writer) error {
	if s.node {
		if err := b.startNode(ctx); err != nil {
			return err
		}
	}
	return s.run(ctx, s.title, w)
}

// hold writes documents, holds a race over them, and removes them.
func (b *bench) hold(ctx context.Context, w io.Writer, r race.Race, documents map[string]io.WriterTo) error {
	for name, d := range documents {
		if err := paper.Write(b.file(name), d); err != nil {
			return err
		}
		defer os.Remove(b.file(name))
	}
	if b.rounds > 0 {
		r.Rounds = b.rounds
	}
	result, err := r.Run(ctx)
	if err != nil {
		return err
	}
	return result.Write(w)
}

// inProcess is a runner that is a Go library.
func (b *bench) inProcess(name string, s library.Signer, in string) race.Runner {
	out := b.file("out")
	return race.Runner{Name: name, How: "in one process", Run: library.Timed(s, b.id, b.file(in), out), Check: b.check(out)}
}

// ownProcess is one of our signers as a program that signs one file.
func (b *bench) ownProcess(name, signer, in string) race.Runner {
	out := b.file("out")
	command := tool.Command{b.self, "-once", signer, "-keys", b.id.Dir, b.file(in), out}
	return race.Runner{Name: name, How: "whole process", Run: tool.Timed(command), Check: b.check(out)}
}

// check judges what a runner wrote, and takes it away so that no other is judged by it.
func (b *bench) check(out string) func() error {
	return func() error { return errors.Join(library.Check(b.id, out), os.Remove(out)) }
}
