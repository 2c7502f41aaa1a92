package main

import (
	"bytes"
	"os"
	"testing"
	"testing/synctest"
)

// TestCtrlCEndsOnePhaseAtATime: the load, the waiting, and then it is left to the system.
func TestCtrlCEndsOnePhaseAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pressed, deaf := make(chan os.Signal), false
		var out bytes.Buffer
		p, end := listen(pressed, func() { deaf = true }, &out)
		defer end()
		look := func(load, wait, over bool) {
			t.Helper()
			synctest.Wait()
			if (p.load.Err() != nil) != load || (p.wait.Err() != nil) != wait || deaf != over {
				t.Errorf("load %v, wait %v, over %t", p.load.Err(), p.wait.Err(), deaf)
			}
		}
		look(false, false, false)
		pressed <- os.Interrupt
		look(true, false, false)
		pressed <- os.Interrupt
		look(true, true, true)
	})
}

func TestNobodyHasToPressAnything(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, end := listen(make(chan os.Signal), func() { t.Error("it stopped listening") }, &bytes.Buffer{})
		end()
		synctest.Wait()
		if p.load.Err() == nil || p.wait.Err() == nil {
			t.Error("the phases outlive the run")
		}
	})
}
