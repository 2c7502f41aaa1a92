package table_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// pages follows a list to its end and returns the ids of its jobs and how many pages they came in.
func pages(t *testing.T, s *table.Store, q job.Query) (ids []job.ID, n int) {
	t.Helper()
	for {
		p, err := s.List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Jobs) > q.Size {
			t.Errorf("a page has %d jobs, want at most %d", len(p.Jobs), q.Size)
		}
		for _, j := range p.Jobs {
			ids = append(ids, j.ID)
		}
		if n++; p.Cursor == "" {
			return ids, n
		}
		if n > 1000 {
			t.Fatal("the list has no end")
		}
		q.Cursor = p.Cursor
	}
}

// newest sorts as a list does, by when the jobs' status began, and returns the ids.
func newest(jobs []job.Job) (ids []job.ID) {
	slices.SortFunc(jobs, func(a, b job.Job) int { return byAge(b, a) })
	for _, j := range jobs {
		ids = append(ids, j.ID)
	}
	return ids
}

// inOneShard makes jobs of the same shard, a few hours apart, back from now.
func inOneShard(n int, hours time.Duration) (jobs []job.Job) {
	for len(jobs) < n {
		if j := queued(now.Add(-time.Duration(len(jobs)) * hours * time.Hour)); j.ID.Shard() == 3 {
			jobs = append(jobs, j)
		}
	}
	return jobs
}

func TestListWalksBackThroughTheDays(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		if ok, err := f.ImportProfiles(t.Context(), nil, now.AddDate(0, 0, -4)); !ok || err != nil {
			t.Fatal(err)
		}
		jobs := append(many(10), inOneShard(22, 4)...) // the shard's pages hold 8 rows
		f.takeIn(t, jobs...)
		want := newest(jobs)
		for _, size := range []int{5, table.MaxPage} {
			got, n := pages(t, f.Store, job.Query{Size: size})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("pages of %d (-want +got):\n%s", size, diff)
			}
			if most := len(want)/size + 2; n > most {
				t.Errorf("%d pages of %d, want at most %d", n, size, most)
			}
		}
	})
}

func TestListByStatus(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		if ok, err := f.ImportProfiles(t.Context(), nil, now.AddDate(0, -3, 0)); !ok || err != nil {
			t.Fatal(err)
		}
		var failed, waiting []job.Job
		for n := range 12 {
			j := queued(now.AddDate(0, 0, -6*n)) // ends in four months
			f.takeIn(t, j)
			k, err := take(j, "run", j.Since)
			k = f.step(t, k, err)
			k, err = k.Fail("run", fault.JobKeyRefused, "no", j.Since.Add(time.Minute))
			failed = append(failed, f.step(t, k, err))
		}
		waiting = inOneShard(12, 100)
		f.takeIn(t, waiting...)
		for status, want := range map[job.Status][]job.ID{
			job.Failed: newest(failed), job.Queued: newest(waiting), job.Completed: nil, job.Processing: nil,
		} {
			got, _ := pages(t, f.Store, job.Query{Statuses: []job.Status{status}, Size: 5})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", status, diff)
			}
		}
	})
}

func TestListByProfile(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		if ok, err := f.ImportProfiles(t.Context(), nil, now); !ok || err != nil {
			t.Fatal(err)
		}
		jobs := many(30)
		var rare []job.Job
		for n := range jobs {
			if n%10 == 0 {
				jobs[n].Profile = "rare"
				rare = append(rare, jobs[n])
			}
		}
		f.takeIn(t, jobs...)
		want := newest(rare)
		for _, q := range []job.Query{{Profile: "rare", Size: 2}, {Profile: "rare", Statuses: []job.Status{job.Queued}, Size: 2}} {
			got, _ := pages(t, f.Store, q)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%v (-want +got):\n%s", q, diff)
			}
		}
		if got, _ := pages(t, f.Store, job.Query{Profile: "none", Size: 2}); len(got) != 0 {
			t.Errorf("a profile without jobs has %v", got)
		}
	})
}

func TestTheJobDecidesAndNotTheIndex(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		stale, fresh := queued(now), queued(now.Add(-time.Second))
		f.takeIn(t, stale, fresh)
		i := f.item(t, "JOB#"+string(stale.ID), "JOB")
		i["status"] = text(string(job.Canceled)) // while the index still says Queued
		f.put(t, i)
		got, _ := pages(t, f.Store, job.Query{Statuses: []job.Status{job.Queued}, Size: 10})
		if diff := cmp.Diff([]job.ID{fresh.ID}, got); diff != "" {
			t.Errorf("List (-want +got):\n%s", diff)
		}
	})
}

func none(*dynamodb.BatchGetItemInput) (*dynamodb.BatchGetItemOutput, error) {
	return &dynamodb.BatchGetItemOutput{}, nil
}

// days makes rows of byDay of those of byStatus.
func days(query func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error)) func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	return func(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
		out, err := query(in)
		for _, i := range out.Items {
			i["daySk"] = i["statusSk"]
		}
		return out, err
	}
}

func fixed(db table.DB) *table.Store {
	return table.New(db, "jobs", table.Clock(func() time.Time { return now }))
}

func TestOneCallLooksOnlySoFarAndSaysSo(t *testing.T) {
	t.Parallel()
	db := &fake{batch: none}
	q := job.Query{Size: 10}
	calls := 0
	for ; calls == 0 || q.Cursor != ""; calls++ {
		db.queries = nil
		p, err := fixed(db).List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(db.queries); n > 31*job.Shards {
			t.Errorf("%d queries in one call, want at most those of 31 days", n)
		}
		q.Cursor = p.Cursor
	}
	// From 15 July back to the day before the first release.
	if calls != 7 {
		t.Errorf("197 empty days took %d calls, want 7", calls)
	}
}

func TestAPageEndsAfterTwoThousandRows(t *testing.T) {
	t.Parallel()
	reads := 0
	db := &fake{
		query: days(endless),
		batch: func(in *dynamodb.BatchGetItemInput) (*dynamodb.BatchGetItemOutput, error) {
			reads += len(in.RequestItems["jobs"].Keys)
			return &dynamodb.BatchGetItemOutput{}, nil
		},
	}
	p, err := fixed(db).List(t.Context(), job.Query{Profile: "rare", Size: 10})
	if err != nil || len(p.Jobs) != 0 || p.Cursor == "" || reads != 2000 {
		t.Errorf("%d jobs after %d reads, cursor %q, %v, want none after 2000 and a cursor", len(p.Jobs), reads, p.Cursor, err)
	}
}

func TestListAsksAgainForWhatTheTableLeftOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		batches := 0
		db := &fake{query: ten}
		db.batch = func(in *dynamodb.BatchGetItemInput) (*dynamodb.BatchGetItemOutput, error) {
			batches++
			wanted := in.RequestItems["jobs"]
			if wanted.ConsistentRead == nil || !*wanted.ConsistentRead {
				t.Error("the jobs are not read consistently")
			}
			half := len(wanted.Keys) / 2
			out := &dynamodb.BatchGetItemOutput{Responses: map[string][]map[string]types.AttributeValue{}}
			for _, k := range wanted.Keys[half:] {
				k["version"], k["status"] = &types.AttributeValueMemberN{Value: "1"}, text("Queued")
				out.Responses["jobs"] = append(out.Responses["jobs"], k)
			}
			if half > 0 {
				out.UnprocessedKeys = map[string]types.KeysAndAttributes{"jobs": {Keys: wanted.Keys[:half]}}
			}
			return out, nil
		}
		p, err := fixed(db).List(t.Context(), job.Query{Statuses: []job.Status{job.Queued}, Size: 100})
		if err != nil || len(p.Jobs) != 10 || batches != 4 {
			t.Errorf("%d jobs after %d calls, %v, want 10 after 4", len(p.Jobs), batches, err)
		}
	})
}

func TestListGivesUpOnWhatTheTableNeverGives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		batches := 0
		db := &fake{query: ten}
		db.batch = func(in *dynamodb.BatchGetItemInput) (*dynamodb.BatchGetItemOutput, error) {
			batches++
			return &dynamodb.BatchGetItemOutput{UnprocessedKeys: in.RequestItems}, nil
		}
		if p, err := fixed(db).List(t.Context(), job.Query{Statuses: []job.Status{job.Queued}, Size: 100}); err == nil || batches != 10 {
			t.Errorf("List = %v, %v after %d calls, want an error after 10", p, err, batches)
		}
	})
}

// ten is an index with ten rows in one shard.
func ten(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	out := &dynamodb.QueryOutput{}
	if strings.HasSuffix(values(in)[0], "#7") {
		out, _ = endless(in)
		out.Items, out.LastEvaluatedKey = out.Items[:10], nil
		slices.SortFunc(out.Items, func(a, b map[string]types.AttributeValue) int {
			return strings.Compare(b["statusSk"].(*types.AttributeValueMemberS).Value, a["statusSk"].(*types.AttributeValueMemberS).Value)
		})
	}
	return out, nil
}

func TestAQueryThatNothingCanMatchIsRefused(t *testing.T) {
	t.Parallel()
	for name, q := range map[string]job.Query{
		"an unknown status":    {Statuses: []job.Status{"Unheard"}, Size: 10},
		"a status as part":     {Statuses: []job.Status{"Failed#2026-07"}, Size: 10},
		"no name of a profile": {Profile: "Not A Name", Size: 10},
		"no size":              {},
		"a negative size":      {Size: -1},
		"too large a page":     {Size: table.MaxPage + 1},
		"an unknown format":    {Format: "Word", Size: 10},
		"an unknown source":    {Source: "Nowhere", Size: 10},
		"too long a name":      {Name: strings.Repeat("a", 1025), Size: 10},
		"an end at its begin":  {From: now, To: now, Size: 10},
		"no time that is kept": {From: now, To: now.Add(time.Microsecond), Size: 10},
		"a negative page":      {Page: -1, Size: 10},
		"a page by two ways":   {Page: 2, Cursor: "x", Size: 10},
		"too far a page":       {Page: 201, Size: 50},
		"a page out of bounds": {Page: 1 << 62, Size: 50},
	} {
		db := &fake{batch: none}
		if _, err := fixed(db).List(t.Context(), q); !errors.Is(err, fault.ValidationFilterInvalid) || len(db.queries) != 0 {
			t.Errorf("%s: List = %v after %d queries, want %v after none", name, err, len(db.queries), fault.ValidationFilterInvalid)
		}
	}
}
