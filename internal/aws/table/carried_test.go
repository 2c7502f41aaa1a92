package table_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"bulksigner/internal/job"
)

// newer is what a newer release may put into an item: every kind of attribute.
func newer() map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"newText":    text("d1"),
		"newEmpty":   text(""),
		"newNumber":  &types.AttributeValueMemberN{Value: "12345678901234567890.5"},
		"newBool":    &types.AttributeValueMemberBOOL{Value: true},
		"newNull":    &types.AttributeValueMemberNULL{Value: true},
		"newBytes":   &types.AttributeValueMemberB{Value: []byte{0, 1, 255}},
		"newStrings": &types.AttributeValueMemberSS{Value: []string{"a", "b"}},
		"newNumbers": &types.AttributeValueMemberNS{Value: []string{"1", "2.5"}},
		"newBinary":  &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2}}},
		"newList":    &types.AttributeValueMemberL{Value: []types.AttributeValue{text("x"), &types.AttributeValueMemberN{Value: "7"}}},
		"newMap":     &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"deep": &types.AttributeValueMemberL{Value: []types.AttributeValue{}}}},
	}
}

// anyOrder compares attribute values. Sets have no order.
var anyOrder = cmp.Options{
	cmpopts.IgnoreUnexported(
		types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberBOOL{}, types.AttributeValueMemberNULL{},
		types.AttributeValueMemberB{}, types.AttributeValueMemberSS{}, types.AttributeValueMemberNS{}, types.AttributeValueMemberBS{},
		types.AttributeValueMemberL{}, types.AttributeValueMemberM{},
	),
	cmp.Transformer("SS", func(s types.AttributeValueMemberSS) map[string]bool { return set(s.Value) }),
	cmp.Transformer("NS", func(s types.AttributeValueMemberNS) map[string]bool { return set(s.Value) }),
	cmp.Transformer("BS", func(s types.AttributeValueMemberBS) map[string]bool {
		m := map[string]bool{}
		for _, b := range s.Value {
			m[string(b)] = true
		}
		return m
	}),
}

func set(values []string) map[string]bool {
	m := map[string]bool{}
	for _, v := range values {
		m[v] = true
	}
	return m
}

func TestWhatANewerReleaseWroteSurvivesAStep(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := queued(now)
		f.takeIn(t, j)
		stored := f.item(t, "JOB#"+string(j.ID), "JOB")
		for name, v := range newer() {
			stored[name] = v
		}
		entry(stored, 0)["newMember"] = text("kept")
		stored["stages"] = &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"newStage": &types.AttributeValueMemberN{Value: "12"}}}
		f.put(t, stored)

		j, err := f.Get(t.Context(), j.ID)
		if err != nil {
			t.Fatal(err)
		}
		j, err = take(j, "run", now)
		f.step(t, j, err)

		got := f.item(t, "JOB#"+string(j.ID), "JOB")
		for name, want := range newer() {
			if diff := cmp.Diff(want, got[name], anyOrder); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		if diff := cmp.Diff(text("kept"), entry(got, 0)["newMember"], anyOrder); diff != "" {
			t.Errorf("a member of a history entry (-want +got):\n%s", diff)
		}
		if again, err := f.Get(t.Context(), j.ID); err != nil || again.Status != job.Processing || again.Stages["newStage"] == 0 {
			t.Errorf("the job is %s with stages %v, %v", again.Status, again.Stages, err)
		}
	})
}

// entry is the map of a history entry.
func entry(i map[string]types.AttributeValue, n int) map[string]types.AttributeValue {
	return i["history"].(*types.AttributeValueMemberL).Value[n].(*types.AttributeValueMemberM).Value
}

func TestAJobCarriesNothingOfAnotherStore(t *testing.T) {
	t.Parallel()
	f := open(t, backend{"kumo", kumo.Config()})
	j := queued(now)
	j.Carried = "something else"
	if err := f.TakeIn(t.Context(), j, job.NameClaim{}); err == nil {
		t.Error("attributes that cannot be stored were dropped")
	}
}

// size is about what DynamoDB counts: names, and values as they are written.
func size(i map[string]types.AttributeValue) (n int) {
	for name, v := range i {
		n += len(name) + sizeOf(v)
	}
	return n
}

func sizeOf(v types.AttributeValue) (n int) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return len(v.Value)
	case *types.AttributeValueMemberL:
		for _, e := range v.Value {
			n += 1 + sizeOf(e)
		}
		return n + 3
	case *types.AttributeValueMemberM:
		return 3 + len(v.Value) + size(v.Value)
	default:
		return 1
	}
}
