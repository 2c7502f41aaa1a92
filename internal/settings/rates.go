package settings

import "time"

// RateLimiting bounds what one client address may ask of the routes that change something.
type RateLimiting struct {
	Enabled            bool
	Upload             Policy // files that are handed in
	Actions            Policy // what an operator does
	SignerNotification Policy // what Lacuna Signer reports, all of it from few addresses
}

// Policy is how many requests a client address may send within a window of fixed length. The next one is refused at once.
type Policy struct {
	Permits int
	Window  time.Duration
}

const maxPermits = 1_000_000

var window = bounds{min: 1, max: 3600, otherwise: 60}

func (r reader) rateLimiting(b *block) RateLimiting {
	l := RateLimiting{
		Enabled:            b.flag("Enabled", true),
		Upload:             b.block("Upload").policy(30),
		Actions:            b.block("Actions").policy(60),
		SignerNotification: b.block("SignerNotification").policy(30_000),
	}
	b.end()
	return l
}

func (b *block) policy(permits int64) Policy {
	p := Policy{
		Permits: int(b.number("PermitsPerWindow", bounds{min: 1, max: maxPermits, otherwise: permits})),
		Window:  time.Duration(b.number("WindowSeconds", window)) * time.Second,
	}
	if b.number("QueueLimit", unbounded(0)) != 0 {
		b.fault("QueueLimit", "is not 0, and a function keeps no requests that wait for their turn", "set it to 0, or remove the key")
	}
	b.end()
	return p
}
