package ledger

import (
	"encoding/json"
	"net/http"
)

// tableRequest is a request of DynamoDB, or one part of a transaction.
type tableRequest struct {
	TableName, IndexName string
	ConsistentRead       bool
	Item, Key            item
	RequestItems         map[string]batch
	TransactItems        []map[string]tableRequest

	ExpressionAttributeValues item
}

// batch is what a BatchGetItem asks of one table.
type batch struct {
	Keys           []item
	ConsistentRead bool
}

// tableAnswer is what comes back of a read.
type tableAnswer struct {
	Item         item
	Items        []item
	Count        int
	ScannedCount int
	Responses    map[string][]item
}

// table counts a request of DynamoDB. Of one that is of no kind that is known the action is noted, on no table.
func (l *Ledger) table(who, op string, body []byte, a *answer) {
	l.spend(who, TableRequests, 1)
	var r tableRequest
	if err := json.Unmarshal(body, &r); err != nil {
		l.need(who, "dynamodb:"+op, "*")
		return
	}
	switch op {
	case "GetItem", "Query", "Scan", "BatchGetItem":
		l.reads(who, op, r, a)
	case "PutItem", "UpdateItem", "DeleteItem":
		l.need(who, "dynamodb:"+op, tableARN(r))
		l.spend(who, TableWrite, l.write(op, r, 1, landed(a)))
	case "TransactWriteItems":
		l.transaction(who, r, landed(a))
	default:
		l.need(who, "dynamodb:"+op, tableARN(r))
	}
}

func landed(a *answer) bool { return a.status == http.StatusOK }

// transaction counts the parts of a transaction: each takes its own right, and twice the units.
func (l *Ledger) transaction(who string, r tableRequest, landed bool) {
	actions := map[string]string{"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}
	for _, parts := range r.TransactItems {
		for kind, part := range parts {
			l.need(who, "dynamodb:"+actions[kind], tableARN(part))
			l.spend(who, TableWrite, l.write(actions[kind], part, 2, landed))
		}
	}
}

// reads counts a read.
func (l *Ledger) reads(who, op string, r tableRequest, a *answer) {
	var got tableAnswer
	if json.Unmarshal(a.body.Bytes(), &got) != nil {
		got = tableAnswer{} // an answer that broke off
	}
	for table, b := range r.RequestItems {
		l.need(who, "dynamodb:"+op, tableARN(tableRequest{TableName: table}))
		l.spend(who, TableRead, batchUnits(got.Responses[table], len(b.Keys), b.ConsistentRead))
	}
	switch op {
	case "GetItem":
		l.need(who, "dynamodb:"+op, tableARN(r))
		l.spend(who, TableRead, readUnits(got.Item.size(), r.ConsistentRead))
	case "Query", "Scan":
		l.need(who, "dynamodb:"+op, tableARN(r))
		l.spend(who, TableRead, pageUnits(r, got))
	}
}

// tableARN names the table of a request, or its index.
func tableARN(r tableRequest) string {
	name := "table/" + r.TableName
	if r.IndexName != "" {
		name += "/index/" + r.IndexName
	}
	return arn("dynamodb", name)
}
