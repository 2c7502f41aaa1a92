package job

import "time"

// IdempotencyKey names a request that a client may repeat: in hexadecimal, the SHA-256 of its method, its path and the
// key that the client gave it. "" is a request without a key.
type IdempotencyKey string

// IdempotentFor is how long a repeated request finds the answer of the first.
const IdempotentFor = 24 * time.Hour
