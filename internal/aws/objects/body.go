package objects

import (
	"errors"
	"io"
)

// joined reads a document and what was appended to it as one, without a copy of either. It can be rewound, which the SDK
// does for checksums and retries.
type joined struct {
	head     io.ReadSeeker // nil: there is none
	headSize int64
	tail     []byte
	off      int64
	moved    bool // head does not stand at off
}

// join puts tail behind the whole of head, wherever head stands.
func join(head io.ReadSeeker, tail []byte) (*joined, error) {
	j := &joined{head: head, tail: tail, moved: true}
	if head == nil {
		return j, nil
	}
	var err error
	j.headSize, err = head.Seek(0, io.SeekEnd)
	return j, err
}

func (j *joined) size() int64 { return j.headSize + int64(len(j.tail)) }

// Read implements io.Reader.
func (j *joined) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if j.off < j.headSize {
		return j.readHead(p)
	}
	at := j.off - j.headSize
	if at >= int64(len(j.tail)) {
		return 0, io.EOF
	}
	n := copy(p, j.tail[at:])
	j.off += int64(n)
	return n, nil
}

func (j *joined) readHead(p []byte) (int, error) {
	if j.moved {
		if _, err := j.head.Seek(j.off, io.SeekStart); err != nil {
			return 0, err
		}
		j.moved = false
	}
	n, err := j.head.Read(p[:min(int64(len(p)), j.headSize-j.off)])
	j.off += int64(n)
	switch {
	case errors.Is(err, io.EOF) && j.off < j.headSize:
		return n, io.ErrUnexpectedEOF // it was longer when it was measured
	case errors.Is(err, io.EOF):
		return n, nil // the tail follows
	}
	return n, err
}

var errSeek = errors.New("seek before the beginning, or from nowhere")

// Seek implements io.Seeker. The head follows when it is read.
func (j *joined) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += j.off
	case io.SeekEnd:
		offset += j.size()
	default:
		return 0, errSeek
	}
	if offset < 0 {
		return 0, errSeek
	}
	j.off, j.moved = offset, true
	return offset, nil
}
