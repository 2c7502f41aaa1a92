package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"bulksigner/internal/local/ledger"
)

// unbilled are items that AWS asks no price for by themselves: they take time, which has one.
var unbilled = []ledger.Item{ledger.TableRequests, ledger.Milliseconds, signerCalls}

// What AWS counts in other units than we do.
const (
	gbSeconds     ledger.Item = "lambda.gb-seconds"
	diskGBSeconds ledger.Item = "lambda.disk-gb-seconds"
	apiRequests   ledger.Item = "api.requests"
	logGB         ledger.Item = "logs.gb"
)

// freeDisk is how much of /tmp costs nothing, in MB.
const freeDisk = 512

const gib = 1 << 30

// billed turns accounts into what the bill has: requests as they are, time in GB-seconds, bytes in GB, and a request of the HTTP API
// for each run of notify. Where a time was measured it is taken, if measured is set; otherwise it is reckoned from the requests.
func (r reckoning) billed(a accounts, measured bool) amounts {
	out := amounts{}
	for who, of := range a {
		for item, n := range of {
			switch {
			case item == logBytes:
				out[logGB] += n / gib
			case !slices.Contains(unbilled, item):
				out[item] += n
			}
		}
		seconds := r.seconds(of)
		if measured {
			seconds = max(seconds, of[ledger.Milliseconds]/1000)
		}
		out[gbSeconds] += seconds * r.Memory[who] / 1024
		if who == "sign" {
			out[diskGBSeconds] += seconds * max(0, r.SignDiskMB-freeDisk) / 1024
		}
	}
	out[apiRequests] += a["notify"][ledger.Invocation]
	return out
}

// seconds is how long the requests of a function take together, one after the other.
func (r reckoning) seconds(of amounts) (s float64) {
	for item, n := range of {
		s += n * r.Milliseconds[item] / 1000
	}
	return s
}

// cost is the price of amounts, and each service's part. An item without a price is an error: it must not cost nothing.
func (r reckoning) cost(a amounts) (total float64, services map[string]float64, err error) {
	services = map[string]float64{}
	var faults []error
	for _, item := range slices.Sorted(maps.Keys(a)) {
		p, ok := r.price(item)
		if !ok {
			faults = append(faults, fmt.Errorf("%s has no price", item))
			continue
		}
		usd := a[item] * p.USD / p.Per
		total += usd
		services[p.Service] += usd
	}
	return total, services, errors.Join(faults...)
}

func (r reckoning) price(item ledger.Item) (price, bool) {
	i := slices.IndexFunc(r.Prices, func(p price) bool { return p.Item == item && p.Per > 0 })
	if i < 0 {
		return price{}, false
	}
	return r.Prices[i], true
}

// thousand is how many documents a price is told for.
const thousand = 1000

// methodCost is what a thousand documents of a method cost.
type methodCost struct {
	method
	amounts  amounts // of a thousand
	total    float64
	services map[string]float64
}

// A month, as everywhere in this command.
const (
	days    = 30
	hours   = days * 24
	minutes = hours * 60
)

// How Lambda asks a queue that is empty: by five connections, each for 20 seconds, as its documentation says of a mapping at
// rest.
const (
	mappings        = 2 // work and checks
	pollsAtRest     = 5 * 3 * minutes
	secretReaders   = 4 // functions that read one of the settings' secrets, each every 5 minutes at most
	secretsOfASetup = 3 // the API's key, the key for Lacuna Signer, the notifications' bearer
	keysOfASetup    = 1
)

// idleLine is a line of what the service costs a month when nobody uses it.
type idleLine struct {
	says   string
	item   ledger.Item
	amount float64
	usd    float64
}

// bill is everything that is told.
type bill struct {
	reckoning
	methods []methodCost
	idle    []idleLine
}

// bill reckons.
func (r reckoning) bill() (b bill, err error) {
	b.reckoning = r
	var faults []error
	for _, m := range r.Methods {
		c := methodCost{method: m, amounts: amounts{}}
		for item, n := range r.billed(m.Each, false) {
			c.amounts[item] = n * thousand
		}
		c.total, c.services, err = r.cost(c.amounts)
		faults = append(faults, err)
		b.methods = append(b.methods, c)
	}
	for _, l := range r.atRest() {
		l.usd, _, err = r.cost(amounts{l.item: l.amount})
		faults = append(faults, err)
		b.idle = append(b.idle, l)
	}
	return b, errors.Join(faults...)
}

// atRest is what the service asks for in a month without a document.
func (r reckoning) atRest() []idleLine {
	lines := []idleLine{
		{says: "schedules: three, once a minute", item: "scheduler.invocations", amount: float64(len(r.Passes)) * minutes},
	}
	asked := r.monthly()
	words := map[ledger.Item]string{
		ledger.Invocation: "the functions that they wake", gbSeconds: "their time", ledger.TableRead: "what these read",
		ledger.TableWrite: "what these write", logGB: "what these log",
	}
	for _, item := range slices.Sorted(maps.Keys(asked)) {
		if says := words[item]; says != "" {
			lines = append(lines, idleLine{says: says, item: item, amount: asked[item]})
		} else if asked[item] > 0 {
			lines = append(lines, idleLine{says: "other requests of theirs", item: item, amount: asked[item]})
		}
	}
	return append(lines,
		idleLine{says: "Lambda asking two empty queues", item: ledger.SQSEmpty, amount: mappings * pollsAtRest},
		idleLine{says: "secrets of the settings", item: "secrets.months", amount: secretsOfASetup},
		idleLine{says: "reading them anew, at most", item: ledger.Secret, amount: secretReaders * minutes / 5},
		idleLine{says: "a signing key", item: "kms.key-months", amount: keysOfASetup},
		idleLine{says: "alarms, by the metrics that they look at", item: "alarms.months", amount: float64(r.Alarms)},
		idleLine{says: "the dashboard", item: "dashboards.months", amount: 1},
		idleLine{says: "custom metrics, if all that were seen are written in every hour", item: "metrics.months", amount: float64(r.Metrics)},
	)
}

// monthly is what the passes ask for in a month.
func (r reckoning) monthly() amounts {
	sum := amounts{}
	for _, p := range r.Passes {
		due := minutes / p.DueEvery
		for item, n := range r.billed(p.Due, true) {
			sum[item] += n * due
		}
		for item, n := range r.billed(p.Other, true) {
			sum[item] += n * (minutes - due)
		}
	}
	return sum
}
