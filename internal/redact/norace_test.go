//go:build !race

package redact_test

const race = false
