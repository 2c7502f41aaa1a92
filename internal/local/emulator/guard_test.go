package emulator_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/logging"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/local/emulator"
)

func newTable(t *testing.T) (*dynamodb.Client, string) {
	t.Helper()
	c, name := dynamodb.NewFromConfig(local.Config()), rand.Text()
	if err := emulator.CreateTable(t.Context(), c, name); err != nil {
		t.Fatal(err)
	}
	return c, name
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func key(pk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{schema.PK: text(pk), schema.SK: text("JOB")}
}

func TestUpdatesThatWouldGoWrongAreRefused(t *testing.T) {
	t.Parallel()
	n := &types.AttributeValueMemberN{Value: "1"}
	all := map[string]types.AttributeValue{":n": n, ":s": text("x")}
	tests := []struct {
		name, update string
		values       []string
		refused      string // part of the message, or "" where it must work
	}{
		{"one line", "SET #a = :s ADD #n :n", []string{":s", ":n"}, ""},
		{"two lines, as the SDK writes them", "ADD #n :n\nSET #a = :s\n", []string{":s", ":n"}, ""},
		{"a default", "SET #n = if_not_exists(#n, :n)", []string{":n"}, ""},
		{"an addition", "SET #n = #n + :n", []string{":n"}, ""},
		{"a removal", "REMOVE #a, #n", nil, ""},
		{"an append", "SET #a = list_append(#a, :s)", []string{":s"}, "list_append"},
		{"a list element", "SET #a[0] = :s", []string{":s"}, "an element of a list"},
		{"a removed list element", "REMOVE #a[1]", nil, "an element of a list"},
		{"a map member", "SET #a.#n = :s", []string{":s"}, "a member of a map"},
		{"a copied attribute", "SET #a = #n", nil, "a copy of another attribute"},
		{"no blanks", "SET #n=#n+:n", []string{":n"}, "an operator without blanks"},
		{"a value that is not used", "SET #a = :s", []string{":s", ":n"}, "that no expression uses: :n"},
		{"a value that is not defined", "SET #a = :s, #n = :n", []string{":s"}, "not defined: :n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, table := newTable(t)
			put(t, c, table)
			in := &dynamodb.UpdateItemInput{TableName: &table, Key: key("JOB#1"), UpdateExpression: &tt.update, ExpressionAttributeNames: map[string]string{}}
			for short, name := range map[string]string{"#a": "a", "#n": "n"} {
				if strings.Contains(tt.update, short) {
					in.ExpressionAttributeNames[short] = name
				}
			}
			for _, v := range tt.values {
				if in.ExpressionAttributeValues == nil {
					in.ExpressionAttributeValues = map[string]types.AttributeValue{}
				}
				in.ExpressionAttributeValues[v] = all[v]
			}
			_, err := c.UpdateItem(t.Context(), in)
			checkRefusal(t, err, tt.refused)
		})
	}
}

func put(t *testing.T, c *dynamodb.Client, table string) {
	t.Helper()
	item := key("JOB#1")
	item["a"], item["n"] = text("old"), &types.AttributeValueMemberN{Value: "41"}
	if _, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: item}); err != nil {
		t.Fatal(err)
	}
}

func checkRefusal(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Errorf("err = %v, want none", err)
		}
		return
	}
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok || api.ErrorCode() != "ValidationException" || !strings.Contains(api.ErrorMessage(), want) {
		t.Errorf("err = %v, want a ValidationException with %q", err, want)
	}
}

// TestClausesOnSeveralLinesAreDone is why the guard exists: kumo alone drops the second line and says yes.
func TestClausesOnSeveralLinesAreDone(t *testing.T) {
	t.Parallel()
	c, table := newTable(t)
	put(t, c, table)
	out, err := c.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: &table, Key: key("JOB#1"), ReturnValues: types.ReturnValueAllNew,
		UpdateExpression:          aws.String("ADD #n :n\nSET #a = :s\n"),
		ExpressionAttributeNames:  map[string]string{"#n": "n", "#a": "a"},
		ExpressionAttributeValues: map[string]types.AttributeValue{":n": &types.AttributeValueMemberN{Value: "1"}, ":s": text("new")},
	})
	if err != nil {
		t.Fatal(err)
	}
	n, _ := out.Attributes["n"].(*types.AttributeValueMemberN)
	a, _ := out.Attributes["a"].(*types.AttributeValueMemberS)
	if n == nil || n.Value != "42" || a == nil || a.Value != "new" {
		t.Errorf("item = %v, want n 42 and a new", out.Attributes)
	}
}

func TestATransactionHasOneActionForAnItem(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		second  string
		refused string
	}{
		{"two items", "JOB#2", ""},
		{"one item twice", "JOB#1", "several operations on one item"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, table := newTable(t)
			_, err := c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
				{Put: &types.Put{TableName: &table, Item: key("JOB#1")}},
				{ConditionCheck: &types.ConditionCheck{
					TableName: &table, Key: key(tt.second), ConditionExpression: aws.String("attribute_not_exists(#pk)"),
					ExpressionAttributeNames: map[string]string{"#pk": schema.PK},
				}},
			}})
			checkRefusal(t, err, tt.refused)
		})
	}
}

func TestTheTableHasItsIndexes(t *testing.T) {
	t.Parallel()
	c, table := newTable(t)
	item := key("JOB#1")
	item[schema.ByStatus.PK], item[schema.ByStatus.SK] = text("STATUS#Queued#3"), text("2026#1")
	if _, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: item}); err != nil {
		t.Fatal(err)
	}
	got, err := c.Query(t.Context(), &dynamodb.QueryInput{
		TableName: &table, IndexName: aws.String(schema.ByStatus.Name), KeyConditionExpression: aws.String("#pk = :pk"),
		ExpressionAttributeNames:  map[string]string{"#pk": schema.ByStatus.PK},
		ExpressionAttributeValues: map[string]types.AttributeValue{":pk": text("STATUS#Queued#3")},
	})
	if err != nil || len(got.Items) != 1 {
		t.Errorf("Query = %v, %v, want the item", got, err)
	}
	ttl, err := c.DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: &table})
	if err != nil || aws.ToString(ttl.TimeToLiveDescription.AttributeName) != schema.TTL {
		t.Errorf("TTL = %v, %v, want %s", ttl, err, schema.TTL)
	}
}

func TestWhatIsNoJSONIsRefused(t *testing.T) {
	t.Parallel()
	resp, status := send(t, http.MethodPost, "/", "Credential=k/20261129/sa-east-1/dynamodb/aws4_request", `[1]`)
	if status != http.StatusBadRequest || !strings.Contains(resp, "ValidationException") {
		t.Errorf("got %d %s, want a ValidationException", status, resp)
	}
}

func TestAnswersHaveTheirChecksum(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	cfg := local.Config()
	cfg.Logger = logging.NewStandardLogger(&log)
	if _, err := dynamodb.NewFromConfig(cfg).ListTables(t.Context(), &dynamodb.ListTablesInput{}); err != nil {
		t.Fatal(err)
	}
	if log.Len() > 0 {
		t.Errorf("the SDK complains: %s", log.String())
	}
}

// FuzzGuard holds that the guard changes nothing but blanks: what it lets through, it lets through again as it is.
func FuzzGuard(f *testing.F) {
	for _, seed := range []string{
		`{"TableName":"t","UpdateExpression":"ADD #n :n\nSET #a = :s","ExpressionAttributeNames":{"#n":"n","#a":"a"},"ExpressionAttributeValues":{":n":{"N":"1"},":s":{"S":"x"}}}`,
		`{"TransactItems":[{"Put":{"TableName":"t","Item":{"pk":{"S":"1"},"sk":{"S":"1"},"n":{"N":"123456789012345678901234567890"}}}}]}`,
		`{"TransactItems":[null,{"Put":null}]}`, `[]`, `{`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, request []byte) {
		once, err := emulator.Guarded(request)
		if err != nil {
			return
		}
		twice, err := emulator.Guarded(once)
		if err != nil || string(once) != string(twice) {
			t.Errorf("%s became %s, then %s (%v)", request, once, twice, err)
		}
	})
}

// send sends a request that no SDK would.
func send(t *testing.T, method, path, authorization, body string) (string, int) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, local.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if authorization != "" {
		req.Header.Set("Authorization", "AWS4-HMAC-SHA256 "+authorization+", SignedHeaders=host, Signature=0")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data), resp.StatusCode
}

func TestWhoAnswers(t *testing.T) {
	t.Parallel()
	sign := func(service string) string { return "Credential=k/20261129/sa-east-1/" + service + "/aws4_request" }
	tests := []struct {
		name, method, path, authorization string
		want                              string // part of the answer that only that service gives
	}{
		{"S3 by its signature", http.MethodGet, "/", sign("s3"), "<Code>AccessDenied</Code>"},
		{"KMS by its signature", http.MethodPost, "/", sign("kms"), "the local emulator has no"},
		{"S3 by a link's query", http.MethodGet, "/b/k?X-Amz-Credential=k%2F20261129%2Fsa-east-1%2Fs3%2Faws4_request", "", "<Error>"},
		{"S3 for what nobody signed", http.MethodGet, "/bucket/key", "", "<BucketName>"},
		{"kumo for the Runtime API", http.MethodPost, "/_runtime/f/2018-06-01/runtime/init/error", "", `"status":"OK"`},
		{"kumo for a service it alone has", http.MethodPost, "/", sign("sts"), "MissingTargetHeader"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, status := send(t, tt.method, tt.path, tt.authorization, ""); !strings.Contains(got, tt.want) {
				t.Errorf("got %d %s, want %q in it", status, got, tt.want)
			}
		})
	}
}
