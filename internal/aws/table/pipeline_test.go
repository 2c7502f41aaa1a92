package table_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

func paused(version int64, by string) job.Pipeline {
	return job.Pipeline{Version: version, Paused: true, PausedAt: now, ResumedAt: now.Add(-time.Hour), PausedBy: by, Reason: "manutenção"}
}

func TestThePipelineIsPausedAndResumed(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		resumed := paused(2, "ana")
		resumed.Paused, resumed.ResumedAt, resumed.Reason = false, now.Add(time.Minute), ""
		steps := []job.Pipeline{{}, paused(1, "ana"), resumed, paused(3, "rui")}
		for _, want := range steps {
			if want.Version > 0 {
				if err := f.Turn(t.Context(), want); err != nil {
					t.Fatalf("Turn to version %d = %v", want.Version, err)
				}
			}
			got, err := f.State(t.Context())
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("State = %v (-want +got):\n%s", err, diff)
			}
			if is, err := f.Paused(t.Context()); err != nil || is != want.Paused {
				t.Errorf("Paused = %t, %v, want %t", is, err, want.Paused)
			}
		}
	})
}

func TestWhoTurnsThePipelineSecondLoses(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		tests := []struct {
			name string
			turn job.Pipeline
			want error
		}{
			{"a switch that is not there", paused(2, "ana"), fault.PipelineRaceLost},
			{"the first", paused(1, "ana"), nil},
			{"the same request again", paused(1, "ana"), nil},
			{"somebody else at once", paused(1, "rui"), fault.PipelineRaceLost},
			{"from the state that is there", paused(2, "rui"), nil},
			{"too late", paused(1, "ana"), fault.PipelineRaceLost},
			{"from a state that never was", paused(4, "ana"), fault.PipelineRaceLost},
		}
		for _, tt := range tests {
			if err := f.Turn(t.Context(), tt.turn); !errors.Is(err, tt.want) {
				t.Errorf("%s: Turn = %v, want %v", tt.name, err, tt.want)
			}
		}
		if got, err := f.State(t.Context()); err != nil || got != paused(2, "rui") {
			t.Errorf("State = %v, %v, want rui's", got, err)
		}
	})
}

func TestOfManyTurnsOneIsMade(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		if b.name == "moto" {
			return // see overtaking
		}
		f := open(t, b)
		won := 0
		for _, err := range concurrently(20, func(n int) error { return f.Turn(t.Context(), paused(1, fmt.Sprint(n))) }) {
			switch {
			case err == nil:
				won++
			case !errors.Is(err, fault.PipelineRaceLost):
				t.Errorf("err = %v, want %v", err, fault.PipelineRaceLost)
			}
		}
		if won != 1 {
			t.Errorf("%d turns were made, want 1", won)
		}
	})
}

// A switch that somebody wrote by hand has no version, and one of a newer release has more.
func TestASwitchOfOthersIsTurned(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		f.put(t, map[string]types.AttributeValue{
			"pk": text("PIPELINE"), "sk": text("STATE"), "paused": &types.AttributeValueMemberBOOL{Value: true}, "newer": text("kept"),
		})
		if is, err := f.Paused(t.Context()); err != nil || !is {
			t.Errorf("Paused = %t, %v, want true", is, err)
		}
		if err := f.Turn(t.Context(), job.Pipeline{Version: 1}); err != nil {
			t.Fatal(err)
		}
		if i := plain(t, f.item(t, "PIPELINE", "STATE")); i["newer"] != "kept" || i["paused"] != false {
			t.Errorf("the item is %v, want newer kept, and not paused", i)
		}
	})
}
