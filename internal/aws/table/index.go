package table

import (
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/job"
)

// monthLayout is how a month stands in an index key; a day stands as job.DayOf writes it.
const monthLayout = "2006-01"

// statusPartition names the jobs of a status, without their shard. Ended jobs pile up, so each month has its own.
func statusPartition(s job.Status, since time.Time) string {
	p := "STATUS#" + string(s)
	if s.Final() {
		p += "#" + since.UTC().Format(monthLayout)
	}
	return p
}

// dayPartition names the jobs that were made on a day, without their shard.
func dayPartition(created time.Time) string { return "DAY#" + job.DayOf(created) }

// shardOf is where in a partition a job is.
func shardOf(partition string, id job.ID) string { return shardAt(partition, id.Shard()) }

func shardAt(partition string, shard int) string { return partition + "#" + job.ShardName(shard) }

// sortKey puts a job in the order of a time. The id makes it unique.
func sortKey(t time.Time, id job.ID) string { return moment(t) + "#" + string(id) }

// parseSortKey reads what sortKey wrote, and nothing else.
func parseSortKey(s string) (time.Time, job.ID, error) {
	when, name, _ := strings.Cut(s, "#")
	t, err := time.Parse(momentLayout, when)
	if err != nil {
		return time.Time{}, "", fmt.Errorf("read the time of an index key: %w", err)
	}
	id, err := job.ParseID(name)
	if err != nil {
		return time.Time{}, "", fmt.Errorf("read the job of an index key: %w", err)
	}
	if sortKey(t, id) != s {
		return time.Time{}, "", fmt.Errorf("the index key of job %s is not in its one form", id)
	}
	return t, id, nil
}

// indexRow is a row of either index.
type indexRow struct {
	sk         string
	id         job.ID
	time       time.Time
	claimUntil time.Time
	documentID string
}

func decodeRow(x schema.Index, i item) (indexRow, error) {
	var r struct {
		StatusSK   string `dynamodbav:"statusSk"`
		DaySK      string `dynamodbav:"daySk"`
		ClaimUntil string `dynamodbav:"claimUntil"`
		DocumentID string `dynamodbav:"documentId"`
	}
	if err := attributevalue.UnmarshalMap(i, &r); err != nil {
		return indexRow{}, fmt.Errorf("decode a row of %s: %w", x.Name, err)
	}
	row := indexRow{sk: r.StatusSK, documentID: r.DocumentID}
	if x.SK == schema.ByDay.SK {
		row.sk = r.DaySK
	}
	var err error
	if row.time, row.id, err = parseSortKey(row.sk); err != nil {
		return indexRow{}, err
	}
	if row.claimUntil, err = parseMoment(r.ClaimUntil); err != nil {
		return indexRow{}, fmt.Errorf("read claimUntil of job %s: %w", row.id, err)
	}
	return row, nil
}
