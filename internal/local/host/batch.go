package host

import (
	"encoding/json"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// sqsEvent is a batch as Lambda writes it.
type sqsEvent struct {
	Records []sqsRecord `json:"Records"`
}

type sqsRecord struct {
	MessageID         string                  `json:"messageId"`
	ReceiptHandle     string                  `json:"receiptHandle"`
	Body              string                  `json:"body"`
	Attributes        map[string]string       `json:"attributes"`
	MessageAttributes map[string]sqsAttribute `json:"messageAttributes"`
	MD5OfBody         string                  `json:"md5OfBody"`
	EventSource       string                  `json:"eventSource"`
	EventSourceARN    string                  `json:"eventSourceARN"`
	AWSRegion         string                  `json:"awsRegion"`
}

type sqsAttribute struct {
	StringValue      *string  `json:"stringValue,omitempty"`
	BinaryValue      []byte   `json:"binaryValue,omitempty"`
	StringListValues []string `json:"stringListValues"`
	BinaryListValues [][]byte `json:"binaryListValues"`
	DataType         string   `json:"dataType"`
}

func (p Poller) event(messages []types.Message) sqsEvent {
	e := sqsEvent{Records: make([]sqsRecord, len(messages))}
	for i, m := range messages {
		e.Records[i] = sqsRecord{
			MessageID:         aws.ToString(m.MessageId),
			ReceiptHandle:     aws.ToString(m.ReceiptHandle),
			Body:              aws.ToString(m.Body),
			Attributes:        m.Attributes,
			MessageAttributes: attributes(m.MessageAttributes),
			MD5OfBody:         aws.ToString(m.MD5OfBody),
			EventSource:       "aws:sqs",
			EventSourceARN:    p.ARN,
			AWSRegion:         p.Region,
		}
	}
	return e
}

func attributes(in map[string]types.MessageAttributeValue) map[string]sqsAttribute {
	out := make(map[string]sqsAttribute, len(in))
	for name, a := range in {
		out[name] = sqsAttribute{
			StringValue: a.StringValue, BinaryValue: a.BinaryValue, DataType: aws.ToString(a.DataType),
			StringListValues: []string{}, BinaryListValues: [][]byte{},
		}
	}
	return out
}

// processed returns the messages that an answer declares done, read as strictly as Lambda reads it: with names in their
// exact case, and the whole batch failed where a failure names no message of it.
func processed(messages []types.Message, answer []byte) []types.Message {
	var fields map[string]json.RawMessage
	if json.Unmarshal(answer, &fields) != nil && string(answer) != "null" && len(answer) > 0 {
		return nil
	}
	var failures []map[string]json.RawMessage
	if list, ok := fields["batchItemFailures"]; ok && json.Unmarshal(list, &failures) != nil {
		return nil
	}
	failed := map[string]bool{}
	for _, f := range failures {
		var id string
		if json.Unmarshal(f["itemIdentifier"], &id) != nil || !names(messages, id) {
			return nil
		}
		failed[id] = true
	}
	return slices.DeleteFunc(slices.Clone(messages), func(m types.Message) bool { return failed[aws.ToString(m.MessageId)] })
}

func names(messages []types.Message, id string) bool {
	return slices.ContainsFunc(messages, func(m types.Message) bool { return aws.ToString(m.MessageId) == id })
}
