package table

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"bulksigner/internal/job"
)

const answerSK = "ANSWER"

// answerRecord says which job a request made, so that the same request makes no other. It has its end twice, as a
// reservation has.
type answerRecord struct {
	PK        string `dynamodbav:"pk"`
	SK        string `dynamodbav:"sk"`
	Job       string `dynamodbav:"job"`
	Ends      string `dynamodbav:"ends"`
	ExpiresAt int64  `dynamodbav:"expiresAt"`
}

func answerPlace(key job.IdempotencyKey) place { return place{"IDEMPOTENCY#" + string(key), answerSK} }

// answer notes which job a request makes, unless an answer is there that is not over. A request without a key has none.
func (t *transaction) answer(key job.IdempotencyKey, id job.ID) {
	if key == "" {
		return
	}
	at, now := answerPlace(key), t.store.now()
	ends := now.Add(job.IdempotentFor)
	i, err := attributevalue.MarshalMap(answerRecord{
		PK: at.pk, SK: at.sk, Job: string(id), Ends: moment(ends), ExpiresAt: ends.Add(time.Second - 1).Unix(),
	})
	if err != nil {
		t.fault(fmt.Errorf("encode an answer: %w", err))
	}
	t.put(i, absent().Or(expression.Name(endsAttr).LessThanEqual(expression.Value(moment(now)))))
}

// Answered returns the job that a request with this key made in the last 24 hours, or "" if there was none. The job of an
// upload exists once its bytes are there.
func (s *Store) Answered(ctx context.Context, key job.IdempotencyKey) (job.ID, error) {
	if key == "" {
		return "", nil
	}
	at := answerPlace(key)
	i, err := s.get(ctx, at.pk, at.sk)
	if err != nil {
		return "", fmt.Errorf("read an answer: %w", err)
	}
	var r answerRecord
	if err := attributevalue.UnmarshalMap(i, &r); err != nil {
		return "", fmt.Errorf("decode an answer: %w", err)
	}
	ends, err := parseMoment(r.Ends)
	if err != nil {
		return "", fmt.Errorf("decode the end of an answer: %w", err)
	}
	if !s.now().Before(ends) { // an absent one ended at the zero time
		return "", nil
	}
	return job.ID(r.Job), nil
}
