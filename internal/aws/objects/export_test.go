package objects

import "io"

// Join gives tests the body of an output.
func Join(head io.ReadSeeker, tail []byte) (io.ReadSeeker, error) { return join(head, tail) }
