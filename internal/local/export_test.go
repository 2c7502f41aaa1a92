package local

import "bulksigner/internal/lacuna/lacunatest"

// Decisions are those of people who have not seen a document yet.
func Decisions() func(lacunatest.Waiting) lacunatest.Reply { return new(people).decide }
