package table

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

const (
	uploadPrefix  = "UPLOAD#"
	reservationSK = "RESERVATION"
	endsAttr      = "ends"
)

// reservationRecord has its end twice: exact for those who compare, in whole seconds for TTL, which is late by days.
type reservationRecord struct {
	PK        string `dynamodbav:"pk"`
	SK        string `dynamodbav:"sk"`
	Job       string `dynamodbav:"job"`
	Profile   string `dynamodbav:"profile,omitempty"`
	Format    string `dynamodbav:"format,omitempty"`
	FileName  string `dynamodbav:"fileName,omitempty"`
	Ends      string `dynamodbav:"ends"`
	ExpiresAt int64  `dynamodbav:"expiresAt"`
}

// Reserve writes a reservation, and its job as the answer to key unless that is "", both or neither. It returns
// fault.JobRaceLost if the upload's key has another reservation that is not over, or the request's an answer: Answered
// tells which.
func (s *Store) Reserve(ctx context.Context, r job.Reservation, key job.IdempotencyKey) error {
	r.Expires = r.Expires.UTC().Truncate(time.Millisecond)
	i, err := attributevalue.MarshalMap(reservationRecord{
		PK: uploadPrefix + r.Key, SK: reservationSK, Job: string(r.Job), Profile: r.Profile, Format: string(r.Format),
		FileName: r.FileName, Ends: moment(r.Expires), ExpiresAt: r.Expires.Add(time.Second - 1).Unix(),
	})
	if err != nil {
		return fmt.Errorf("encode the reservation of job %s: %w", r.Job, err)
	}
	over := expression.Name(endsAttr).LessThanEqual(expression.Value(moment(s.now())))
	err = s.reserve(ctx, i, absent().Or(over), key, r.Job)
	if lost(err) {
		return s.reserved(ctx, r, err)
	}
	if err != nil {
		return fmt.Errorf("reserve the upload of job %s: %w", r.Job, err)
	}
	return nil
}

// reserve makes a transaction, which costs twice as much, only where there is an answer.
func (s *Store) reserve(ctx context.Context, i item, c expression.ConditionBuilder, key job.IdempotencyKey, id job.ID) error {
	if key == "" {
		return s.put(ctx, i, c)
	}
	t := s.begin()
	t.put(i, c)
	t.answer(key, id)
	return t.commit(ctx)
}

// reserved decides about a reservation that met another: after a lost reply that other one is itself.
func (s *Store) reserved(ctx context.Context, r job.Reservation, met error) error {
	stored, err := s.Reservation(ctx, r.Key)
	if err == nil && stored == r {
		return nil
	}
	if err != nil && !errors.Is(err, fault.JobNotFound) {
		return fmt.Errorf("reserve the upload of job %s: %w", r.Job, errors.Join(met, err))
	}
	return fault.Wrap(fault.JobRaceLost, met, "the upload of job %s is reserved, or its request was answered, already", r.Job)
}

// Reservation returns what was reserved for a key, or fault.JobNotFound if nothing was or its time is over.
func (s *Store) Reservation(ctx context.Context, key string) (job.Reservation, error) {
	i, err := s.get(ctx, uploadPrefix+key, reservationSK)
	if err != nil {
		return job.Reservation{}, fmt.Errorf("read a reservation: %w", err)
	}
	var r reservationRecord
	if err := attributevalue.UnmarshalMap(i, &r); err != nil {
		return job.Reservation{}, fmt.Errorf("decode a reservation: %w", err)
	}
	ends, err := parseMoment(r.Ends)
	if err != nil {
		return job.Reservation{}, fmt.Errorf("decode the end of a reservation: %w", err)
	}
	if !s.now().Before(ends) { // an absent one ended at the zero time
		return job.Reservation{}, fault.New(fault.JobNotFound, "no upload is reserved for this key, or its time is over")
	}
	return job.Reservation{
		Key: key, Job: job.ID(r.Job), Profile: r.Profile, Format: profile.Format(r.Format), FileName: r.FileName, Expires: ends,
	}, nil
}
