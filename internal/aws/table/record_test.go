package table_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/job"
)

func TestAJobIsReadAsItWasWritten(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := full()
		f.takeIn(t, j)
		got, err := f.Get(t.Context(), j.ID)
		if diff := cmp.Diff(j, got); diff != "" || err != nil {
			t.Errorf("Get = %v (-want +got):\n%s", err, diff)
		}
	})
}

// full is a job whose every field says something else, so that a field which is not stored, or stored as another, is
// missed. What a newer field needs to be here is nothing.
func full() (j job.Job) {
	n := 0
	fill(reflect.ValueOf(&j).Elem(), &n)
	j.ID, j.Carried = job.NewID(), nil
	return j
}

// fill gives every value below v the next number.
func fill(v reflect.Value, n *int) {
	*n++
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = now.Add(time.Duration(*n) * time.Millisecond)
		return
	case *time.Duration:
		*x = time.Duration(*n) * time.Millisecond
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n)
		fill(value, n)
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Interface: // what a job carries, which has a test of its own
	default:
		panic("a job has a " + v.Kind().String())
	}
}

// Bools cannot all say something else: of those that a record mixes up, one is false here.
func TestABoolOfAJobIsNoOther(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		for n := range 5 {
			j := queued(now)
			bools := []*bool{&j.Terms.Verify, &j.Terms.RequirePolicy, &j.Terms.Encrypt, &j.Terms.PreserveFileExtension, &j.Terms.SaveAsPem}
			*bools[n] = true
			f.takeIn(t, j)
			got, err := f.Get(t.Context(), j.ID)
			if diff := cmp.Diff(j.Terms, got.Terms); diff != "" || err != nil {
				t.Errorf("Get = %v (-want +got):\n%s", err, diff)
			}
		}
	})
}

// A run that lets go of a job which it has fetched leaves the end of its claim, by which the job is found again.
func TestTheEndOfAClaimOutlivesItsOwner(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := queued(now)
		f.takeIn(t, j)
		j.Version, j.Status, j.Claim, j.Remote.DocumentID = 2, job.Verifying, job.Claim{Until: now.Add(time.Second)}, "d1"
		f.step(t, j, nil)
		got, err := f.Get(t.Context(), j.ID)
		if err != nil || got.Claim != j.Claim {
			t.Errorf("the claim is %v, %v, want %v", got.Claim, err, j.Claim)
		}
		rows := oldest(t, f.Store, job.Verifying, "", -1)
		if len(rows) != 1 || !rows[0].ClaimUntil.Equal(j.Claim.Until) || rows[0].DocumentID != "d1" {
			t.Errorf("rows = %v, want one with the claim's end and the document", rows)
		}
	})
}
