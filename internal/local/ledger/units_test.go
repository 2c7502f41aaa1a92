package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/local/ledger"
)

const refusal = `{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"}`

func db(op, body string) asked {
	return asked{who: "sign", service: "dynamodb", target: "DynamoDB_20120810." + op, body: body, answer: "{}"}
}

// put writes an item of about so many bytes, with a row in byStatus if a status is given.
func put(size int, status string) string {
	index := ""
	if status != "" {
		index = fmt.Sprintf(`,"statusPk":{"S":"STATUS#%s"},"statusSk":{"S":"1"}`, status)
	}
	return fmt.Sprintf(`{"TableName":"t","Item":{"pk":{"S":"a"},"sk":{"S":"b"},"x":{"S":"%s"}%s}}`, strings.Repeat("x", size), index)
}

// check asks in a transaction whether the item is there.
const check = `{"TransactItems":[{"ConditionCheck":{"TableName":"t","Key":{"pk":{"S":"a"},"sk":{"S":"b"}}}}]}`

const remove = `{"TableName":"t","Key":{"pk":{"S":"a"},"sk":{"S":"b"}}}`

func TestWriteUnits(t *testing.T) {
	t.Parallel()
	refused := db("PutItem", put(10, ""))
	refused.status, refused.answer = 400, refusal
	tests := []struct {
		name   string
		before []asked
		asked
		want float64
	}{
		{"a small item", nil, db("PutItem", put(10, "")), 1},
		{"a unit exactly", nil, db("PutItem", put(1024-7, "")), 1}, // pk a, sk b and x are seven bytes
		{"a byte more", nil, db("PutItem", put(1024-6, "")), 2},
		{"a smaller one over a larger one", []asked{db("PutItem", put(2500, ""))}, db("PutItem", put(10, "")), 3},
		{"a new row", nil, db("PutItem", put(10, "Queued")), 2},
		{"the same row", []asked{db("PutItem", put(10, "Queued"))}, db("PutItem", put(500, "Queued")), 1},
		{"a row that moves", []asked{db("PutItem", put(10, "Queued"))}, db("PutItem", put(10, "Failed")), 3},
		{"a row that goes", []asked{db("PutItem", put(10, "Queued"))}, db("PutItem", put(10, "")), 2},
		{"an item that goes with its row", []asked{db("PutItem", put(1500, "Queued"))}, db("DeleteItem", remove), 3},
		{"an item that is not there", nil, db("DeleteItem", remove), 1},
		{"a refusal", []asked{db("PutItem", put(2500, ""))}, refused, 3},
		{"what a refusal leaves", []asked{db("PutItem", put(2500, "")), refused}, db("PutItem", put(10, "")), 3},
		{"an update", []asked{db("PutItem", put(1500, "Queued"))},
			db("UpdateItem", `{"TableName":"t","Key":{"pk":{"S":"a"},"sk":{"S":"b"}},"ExpressionAttributeValues":{":n":{"N":"1"}}}`), 2},
		{"a check", []asked{db("PutItem", put(2500, ""))}, db("TransactWriteItems", check), 6},
		{"what a check leaves", []asked{db("PutItem", put(2500, "")), db("TransactWriteItems", check)}, db("PutItem", put(10, "")), 3},
		{"a transaction", nil, db("TransactWriteItems", `{"TransactItems":[{"Put":`+put(10, "Queued")+`},{"Delete":{"TableName":"t","Key":{"pk":{"S":"c"},"sk":{"S":"d"}}}}]}`), 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			account := ledger.Expense{Who: "sign", Item: ledger.TableWrite}
			was := keep(t, tt.before...).Expenses()[account]
			is := keep(t, append(tt.before, tt.asked)...).Expenses()[account]
			if is-was != tt.want {
				t.Errorf("%g units, want %g", is-was, tt.want)
			}
		})
	}
}

func TestReadUnits(t *testing.T) {
	t.Parallel()
	answer := func(op, body, said string) asked {
		a := db(op, body)
		a.answer = said
		return a
	}
	large := `{"pk":{"S":"a"},"x":{"S":"` + strings.Repeat("x", 5000) + `"}}`
	row := `{"pk":{"S":"a"},"sk":{"S":"b"},"statusPk":{"S":"s"},"statusSk":{"S":"1"},"x":{"S":"` + strings.Repeat("x", 5000) + `"}}`
	tests := []struct {
		name string
		asked
		want float64
	}{
		{"an absent item", answer("GetItem", `{"TableName":"t"}`, `{}`), 0.5},
		{"one that is read consistently", answer("GetItem", `{"TableName":"t","ConsistentRead":true}`, `{}`), 1},
		{"a large one", answer("GetItem", `{"TableName":"t","ConsistentRead":true}`, `{"Item":`+large+`}`), 2},
		{"an empty page", answer("Query", `{"TableName":"t"}`, `{"Items":[],"Count":0}`), 0.5},
		{"a page", answer("Query", `{"TableName":"t"}`, `{"Items":[`+large+`,`+large+`],"Count":2,"ScannedCount":2}`), 1.5},
		{"a page that was filtered", answer("Query", `{"TableName":"t"}`, `{"Items":[`+large+`],"Count":1,"ScannedCount":4}`), 2.5},
		{"a page of an index", answer("Query", `{"TableName":"t","IndexName":"byStatus"}`, `{"Items":[`+row+`],"Count":1,"ScannedCount":1}`), 0.5},
		{"a batch", answer("BatchGetItem", `{"RequestItems":{"t":{"Keys":[{},{},{}]}}}`, `{"Responses":{"t":[`+large+`,{"pk":{"S":"a"}}]}}`), 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := keep(t, tt.asked).Expenses()[ledger.Expense{Who: "sign", Item: ledger.TableRead}]
			if got != tt.want {
				t.Errorf("%g units, want %g", got, tt.want)
			}
		})
	}
}

// Sizes as DynamoDB's documentation counts them.
func TestSizes(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]int{
		`{"S":"ção"}`: 5, `{"N":"1234"}`: 3, `{"B":"AAAA"}`: 3, `{"BOOL":true}`: 1, `{"NULL":true}`: 1,
		`{"L":[{"S":"ab"},{"BOOL":true}]}`: 3 + 3 + 2, `{"M":{"k":{"S":"ab"}}}`: 3 + 1 + 3, `{"SS":["ab","c"]}`: 3, `{"NS":["12"]}`: 2,
	} {
		// As much is added as makes it a unit, and one byte more makes it two.
		for more, units := range map[int]float64{0: 1, 1: 2} {
			filler := strings.Repeat("x", 1024-len("pk")-len("f")-len("v")-want+more)
			body := fmt.Sprintf(`{"TableName":"t","Item":{"pk":{"S":""},"f":{"S":"%s"},"v":%s}}`, filler, value)
			if got := keep(t, db("PutItem", body)).Expenses()[ledger.Expense{Who: "sign", Item: ledger.TableWrite}]; got != units {
				t.Errorf("%s with %d bytes more: %g units, want %g", value, more, got, units)
			}
		}
	}
}

func TestRightsToTables(t *testing.T) {
	t.Parallel()
	l := keep(t,
		db("TransactWriteItems", `{"TransactItems":[{"Put":`+put(10, "")+`},{"Update":`+remove+`},{"Delete":`+remove+`},{"ConditionCheck":`+remove+`}]}`),
		db("Query", `{"TableName":"t","IndexName":"byDay"}`),
		db("BatchGetItem", `{"RequestItems":{"t":{"Keys":[{}]}}}`))
	on := func(action, resource string) ledger.Right {
		return ledger.Right{Who: "sign", Action: "dynamodb:" + action, On: "arn:aws:dynamodb:sa-east-1:000000000000:table/" + resource}
	}
	want := map[ledger.Right]int{
		on("PutItem", "t"): 1, on("UpdateItem", "t"): 1, on("DeleteItem", "t"): 1, on("ConditionCheckItem", "t"): 1,
		on("Query", "t/index/byDay"): 1, on("BatchGetItem", "t"): 1,
	}
	if diff := cmp.Diff(want, l.Rights()); diff != "" {
		t.Errorf("rights (-want +got):\n%s", diff)
	}
}
