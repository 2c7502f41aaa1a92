package workflow

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"
)

func TestJoinedReadsAsOneFile(t *testing.T) {
	t.Parallel()
	for _, split := range []int{0, 1, 5, 9, 10} {
		whole := []byte("0123456789")
		j := joined{head: bytes.NewReader(whole[:split]), size: int64(split), tail: whole[split:]}
		if err := iotest.TestReader(io.NewSectionReader(j, 0, 10), whole); err != nil {
			t.Errorf("split at %d: %v", split, err)
		}
	}
}

func TestCounterRefusesMoreThanAnnounced(t *testing.T) {
	t.Parallel()
	c := &counter{w: io.Discard, left: 3}
	if _, err := c.Write([]byte("ab")); err != nil || c.left != 1 {
		t.Fatalf("Write = %v, left %d", err, c.left)
	}
	if _, err := c.Write([]byte("cd")); err == nil {
		t.Error("more bytes than announced were taken")
	}
}
