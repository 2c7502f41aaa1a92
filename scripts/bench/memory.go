package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"bulksigner/scripts/bench/paper"
	"bulksigner/scripts/bench/race"
	"bulksigner/scripts/bench/tool"
)

// memory starts a new process for each measurement, since what a process needs at most can be asked once in its life.
func (b *bench) memory(ctx context.Context, title string, w io.Writer) error {
	const goal = 16 // MiB
	if err := paper.Write(b.file("pdf"), paper.PDF(100*MB)); err != nil {
		return err
	}
	defer os.Remove(b.file("pdf"))
	rows := []race.MemoryRow{{Name: nameOurs}, {Name: namePDFSign}, {Name: nameNode, Missing: b.noNode}}
	peaks := []func(context.Context, string) (race.Peak, error){b.peakOf("pades"), b.peakOf("pdfsign"), b.peakOfNode}
	for range 3 {
		for i, peak := range peaks {
			if rows[i].Missing != "" {
				continue
			}
			p, err := peak(ctx, "pdf")
			if err != nil {
				return err
			}
			rows[i].Over = append(rows[i].Over, p.Over())
		}
	}
	return race.WriteMemory(w, title, rows, goal)
}

// peakOf is the need of one of the Go signers.
func (b *bench) peakOf(signer string) func(ctx context.Context, in string) (race.Peak, error) {
	return func(ctx context.Context, in string) (p race.Peak, err error) {
		out, err := exec.CommandContext(ctx, b.self, "-once", signer, "-keys", b.id.Dir, b.file(in), b.file("out")).Output()
		if err != nil {
			return p, fmt.Errorf("sign once with %s: %w", signer, err)
		}
		return p, json.Unmarshal(out, &p)
	}
}

// peakOfNode is the need of @signpdf.
func (b *bench) peakOfNode(ctx context.Context, in string) (p race.Peak, err error) {
	node, err := tool.Start(ctx, b.npm, b.id)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, node.Close()) }()
	return node.Peak(b.file(in), b.file("out"))
}
