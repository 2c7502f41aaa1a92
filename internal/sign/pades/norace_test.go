//go:build !race

package pades_test

// raceEnabled tells that the race detector is on, which makes all work many times slower.
const raceEnabled = false
