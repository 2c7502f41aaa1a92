package app

import (
	"bulksigner/internal/aws/queue"
	"bulksigner/internal/workflow"
)

// lines are the queues that operators see. Those of checks are there with Lacuna Signer alone.
func (b *base) lines() []workflow.Line {
	client := b.sqs()
	line := func(name, url, dead string) workflow.Line {
		l := workflow.Line{Name: name, Queue: queue.New(client, url)}
		if dead != "" {
			l.Dead = queue.NewDead(client, dead, url)
		}
		return l
	}
	lines := []workflow.Line{line("work", b.env.WorkQueue, b.env.DeadLetters)}
	if b.env.ChecksQueue != "" {
		lines = append(lines, line("checks", b.env.ChecksQueue, b.env.DeadChecks))
	}
	return lines
}
