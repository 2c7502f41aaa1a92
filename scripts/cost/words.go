package main

const pageHead = `# What it costs

Written by ` + "`make cost WRITE=1`" + ` from the requests that a document takes (` + "`scripts/cost/requests.json`" + `, counted by
` + "`make cost COUNT=1`" + ` as docs/performance.md says) and a list of prices (` + "`scripts/cost/prices.json`" + `). ` + "`make cost`" + ` prints the same
and fails where this page is not what comes of the two.

**Prices** are those of %s as of %s. %s

What AWS gives free of charge each month is not subtracted. Of Lambda it is 1 000 000 requests and 400 000 GB-seconds, of SQS
1 000 000 requests, of EventBridge Scheduler 14 000 000 invocations, of KMS 20 000 requests of some kinds, of
CloudWatch 10 metrics, 10 alarms and 3 dashboards. Not in the sums are taxes, the data that leaves AWS, and what Lacuna
Signer charges.

`

const costWords = "PDF, XML and CMS have 100 kB and are signed by a key of KMS, RSA 2048. With another asymmetric key a signature costs five\n" +
	"times as much. What each takes is in docs/performance.md, section 5. The service's own metrics and alarms are below.\n\n" +
	"**Time** is not measured: on one machine no request has a distance. It is reckoned from the requests of each function, one after\n" +
	"the other, with the milliseconds that `prices.json` assumes for each (8 for DynamoDB, 15 to 80 for S3, 30 for a signature, 300 for\n" +
	"a call of Lacuna Signer), and the function's memory. Many run side by side, so that it is an upper bound. Waiting for one's share of\n" +
	"`Signer:RequestsPerSecond` is not in it.\n\n" +
	"**Keeping** is the input, which stays as an old version for at least 37 days, and the output, for as long as nobody deletes it.\n" +
	"Of a document that stays at Lacuna Signer nothing is kept. The table keeps some kilobytes of each job.\n"

const restWords = "Deployed with Lacuna Signer, its webhook and the defaults of all intervals. The three schedules wake their functions 43 200 times a\n" +
	"month each; a pass reads the sixteen shards of each status that it looks at. Time is what was measured, or what the requests are\n" +
	"assumed to take, whichever is longer. While a document waits for a person the poll stays awake for a second round after 30 seconds:\n" +
	"if one always does, that is 43 200 times 30 s of 256 MB, 4.32 USD a month; `Signer:PollIntervalSeconds` of 60 saves it. Lambda\n" +
	"asks an empty queue by five connections of 20 seconds each. Custom metrics are charged by the hours in which they are written: at\n" +
	"rest few are, so that this line is an upper bound.\n"
