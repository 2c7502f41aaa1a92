package settings

import (
	"fmt"
	"strings"

	"bulksigner/internal/fault"
)

// Fault is one thing that is wrong with the settings. No part of it quotes a value, since any value may be a secret.
type Fault struct {
	Key      string // Signing:Profiles[2]:Certificate:Kms:KeyId, or the file's name where no key is to blame
	Variable string // the environment variable that set the key, if one did
	Message  string // what is wrong, to be read after the key
	Remedy   string // what to do about it
}

// String writes f on one line.
func (f Fault) String() string {
	key := f.Key
	if f.Variable != "" {
		key += " (set by " + f.Variable + ")"
	}
	return fmt.Sprintf("%s: %s; %s", key, f.Message, f.Remedy)
}

// Faults is everything that is wrong with the settings: errors.AsType[settings.Faults] finds it in what Load returns.
type Faults []Fault

// Error writes one line per fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].String()
	}
	return strings.Join(lines, "\n")
}

// maxFaults is how many faults are reported. Nobody reads more, and a file of rubbish must not become a log of it.
const maxFaults = 200

// collector gathers faults, so that one run finds them all.
type collector struct {
	file       string
	variables  map[string]string // by folded key: which variable set it
	unreadable map[string]bool   // by folded key
	faults     Faults
	more       int // faults past maxFaults
}

func newCollector(file string) *collector {
	return &collector{file: file, variables: map[string]string{}, unreadable: map[string]bool{}}
}

func (c *collector) add(key, message, remedy string) {
	if c.full() {
		c.more++
		return
	}
	c.faults = append(c.faults, Fault{Key: key, Variable: c.variables[foldKey(key)], Message: message, Remedy: remedy})
}

// unread marks a key whose value could not be read at all, so that what follows from it is not said as well.
func (c *collector) unread(key, message, remedy string) {
	c.add(key, message, remedy)
	c.unreadable[foldKey(key)] = true
}

func (c *collector) isUnread(key string) bool { return c.unreadable[foldKey(key)] }

func (c *collector) full() bool { return len(c.faults) == maxFaults }

// err returns what was found, or nil.
func (c *collector) err() error {
	if len(c.faults) == 0 {
		return nil
	}
	all := c.faults
	if c.more > 0 {
		all = append(all, Fault{Key: c.file, Message: fmt.Sprintf("%d more faults are not shown", c.more), Remedy: "correct these first"})
	}
	return fault.Wrap(fault.SettingsInvalid, all, "%d faults in the settings", len(c.faults)+c.more)
}
