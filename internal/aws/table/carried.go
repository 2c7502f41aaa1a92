package table

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"bulksigner/internal/job"
)

// carried is what a newer release wrote into a job: attributes of the item, and of its history entries by their id.
type carried struct {
	attributes item
	entries    map[string]item
}

// The attributes that this release knows: it alone decides whether they are stored.
var (
	jobAttributes   = attributesOf[jobRecord]()
	entryAttributes = attributesOf[entryRecord]()
)

func attributesOf[T any]() map[string]bool {
	known := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(f.Tag.Get("dynamodbav"), ",")
		known[name] = true
	}
	return known
}

// encodeJob makes the item of a job, with what the job carries.
func encodeJob(j job.Job) (item, error) {
	i, err := attributevalue.MarshalMap(toRecord(j))
	if err != nil {
		return nil, err
	}
	if j.Carried == nil {
		return i, nil
	}
	c, ok := j.Carried.(carried)
	if !ok {
		return nil, fmt.Errorf("it carries a %T, which is not of this store", j.Carried)
	}
	add(i, c.attributes)
	for _, e := range entriesOf(i) {
		add(e, c.entries[entryID(e)])
	}
	return i, nil
}

// decodeJob reads the item of a job.
func decodeJob(i item) (job.Job, error) {
	var r jobRecord
	if err := attributevalue.UnmarshalMap(i, &r); err != nil {
		return job.Job{}, err
	}
	j, err := r.job()
	if err != nil {
		return job.Job{}, err
	}
	c := carried{attributes: unknown(i, jobAttributes), entries: map[string]item{}}
	for _, e := range entriesOf(i) {
		if u := unknown(e, entryAttributes); len(u) > 0 {
			c.entries[entryID(e)] = u
		}
	}
	if len(c.attributes) > 0 || len(c.entries) > 0 {
		j.Carried = c
	}
	return j, nil
}

func unknown(i item, known map[string]bool) item {
	u := item{}
	for name, v := range i {
		if !known[name] {
			u[name] = v
		}
	}
	return u
}

func add(to, from item) {
	for name, v := range from {
		to[name] = v
	}
}

// entriesOf are the maps of an item's history. What has another form is none of ours.
func entriesOf(i item) (entries []item) {
	list, _ := i[historyAttr].(*types.AttributeValueMemberL)
	if list == nil {
		return nil
	}
	for _, v := range list.Value {
		if m, ok := v.(*types.AttributeValueMemberM); ok {
			entries = append(entries, m.Value)
		}
	}
	return entries
}

func entryID(e item) string { return textOf(e, entryIDAttr) }
