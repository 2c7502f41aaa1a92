package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"bulksigner/internal/local/ledger"
)

// Items beside those of the ledger.
const (
	signerCalls ledger.Item = "signer.calls" // of Lacuna Signer, which AWS does not charge but for the time they take
	logBytes    ledger.Item = "logs.bytes"
)

// amounts are how much of each item somebody asked for.
type amounts map[ledger.Item]float64

// accounts are the amounts of each function; Lambda's own requests for a function's messages have its name with ".queue", and
// S3's events are "bucket-events".
type accounts map[string]amounts

// total adds the accounts up.
func (a accounts) total() amounts {
	sum := amounts{}
	for _, of := range a {
		for item, n := range of {
			sum[item] += n
		}
	}
	return sum
}

// add puts something on an account.
func (a accounts) add(who string, item ledger.Item, n float64) {
	if a[who] == nil {
		a[who] = amounts{}
	}
	a[who][item] += n
}

// scaled is a part of the accounts, rounded so that a file of them reads well.
func (a accounts) scaled(by float64) accounts {
	out := accounts{}
	for who, of := range a {
		for item, n := range of {
			if n = math.Round(n*by*100) / 100; n != 0 {
				out.add(who, item, n)
			}
		}
	}
	return out
}

// method is a way in which a document gets signed, and what one document takes.
type method struct {
	Name  string   `json:"name"`
	Each  accounts `json:"each"`
	Bytes int      `json:"bytes"` // of the document
	Out   int      `json:"out"`   // of what is stored in the end
}

// pass is a run that the clock begins while there is nothing to do: Due where the pass looks at everything, and the other
// where it is not yet time.
type pass struct {
	Function string   `json:"function"`
	Due      accounts `json:"due"`
	Other    accounts `json:"other"`
	// DueEvery is after how many minutes a pass is due in the settings' defaults.
	DueEvery float64 `json:"dueEvery"`
}

// counts are what was counted.
type counts struct {
	Counted   string   `json:"counted"` // day
	Documents int      `json:"documents"`
	Methods   []method `json:"methods"`
	Passes    []pass   `json:"passes"`
	Metrics   int      `json:"metrics"` // custom ones that were written meanwhile, each with its labels
	Alarms    int      `json:"alarms"`  // metrics that the deployment's alarms look at
}

// price is a line of the price list.
type price struct {
	Item    ledger.Item `json:"item"`
	Service string      `json:"service"`
	Unit    string      `json:"unit"`
	Per     float64     `json:"per"`
	USD     float64     `json:"usd"`
	Source  string      `json:"source"`
}

// prices are the price list, and what is assumed where a price is of time.
type prices struct {
	Region       string                  `json:"region"`
	Currency     string                  `json:"currency"`
	AsOf         string                  `json:"asOf"`
	Note         string                  `json:"note"`
	Prices       []price                 `json:"prices"`
	Memory       map[string]float64      `json:"memory"` // MB of each function
	SignDiskMB   float64                 `json:"signDiskMB"`
	Milliseconds map[ledger.Item]float64 `json:"milliseconds"` // that a request is assumed to take
}

// reckoning is counts and prices together.
type reckoning struct {
	counts
	prices
}

// maxFile bounds what is read.
const maxFile = 1 << 20

func load(module string) (r reckoning, err error) {
	if err := read(filepath.Join(module, requestsFile), &r.counts); err != nil {
		return r, err
	}
	return r, read(filepath.Join(module, pricesFile), &r.prices)
}

func read(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if len(data) > maxFile {
		return fmt.Errorf("%s is larger than %d bytes", path, maxFile)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
