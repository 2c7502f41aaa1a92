package demo

import (
	"context"
	"fmt"
)

// Finding is something that is looked at when all samples have ended.
type Finding struct {
	What, Said string
	Good       bool
}

// Review prints findings and whether the service says that it can do its work, and counts them into a result.
func (d Demo) Review(ctx context.Context, r *Result, findings []Finding) error {
	checks, err := d.Client.Ready(ctx)
	if err != nil {
		return fmt.Errorf("ask whether the service is ready: %w", err)
	}
	for _, c := range checks {
		findings = append(findings, Finding{"ready: " + c.Name, c.Detail, c.OK})
	}
	for _, f := range findings {
		d.line(r, f.Good, f.What, f.Said)
	}
	return nil
}
