package console_test

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

var rect = regexp.MustCompile(`<rect class="(\w+)" x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"/>`)

// drawn are the chart's bars: kind, x, y, width and height.
func drawn(page string) (all [][]string) {
	for _, m := range rect.FindAllStringSubmatch(page, -1) {
		if m[4] != "14" { // those are the legend's
			all = append(all, m[1:])
		}
	}
	return all
}

func TestTheChartStacksWhatEnded(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		hours map[int][3]int
		want  [][]string
	}{
		{"one kind, the highest bar", map[int][3]int{0: {50, 0, 0}}, [][]string{{"completed", "3", "10", "24", "190"}}},
		{"half as high", map[int][3]int{0: {50, 0, 0}, 23: {25, 0, 0}}, [][]string{{"completed", "3", "10", "24", "190"}, {"completed", "693", "105", "24", "95"}}},
		{"one upon the other", map[int][3]int{1: {5, 3, 2}}, [][]string{
			{"completed", "33", "105", "24", "95"}, {"failed", "33", "48", "24", "57"}, {"canceled", "33", "10", "24", "38"}}},
		{"one failure among thousands is seen", map[int][3]int{2: {9999, 1, 0}}, [][]string{
			{"completed", "63", "11", "24", "189"}, {"failed", "63", "7", "24", "4"}}},
		{"negative figures are none", map[int][3]int{2: {1, -1, 0}}, [][]string{{"completed", "63", "10", "24", "190"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := watched(signedIn(t))
			s.api.on("GET /api/overview", http.StatusOK, overviewAnswer(map[string]any{"hours": hoursOf(tt.hours)}))
			got := drawn(s.get("/").Body.String())
			if !slices.EqualFunc(got, tt.want, slices.Equal) {
				t.Errorf("bars %v, want %v", got, tt.want)
			}
		})
	}
}

func TestTheChartIsATableToo(t *testing.T) {
	t.Parallel()
	s := watched(signedIn(t))
	w := s.get("/")
	s.shows(w, http.StatusOK, `<details id="hours-table">`, `<td class="number">100</td><td class="number">1</td><td class="number">1</td>`,
		`aria-label="In 24 hours: 4,811 Completed, 3 Failed, 1 Canceled.`, `data-show="hour">06:00</time>`, `data-show="hour">03:00</time>`)
	if rows := regexp.MustCompile(`<th scope="row"><time`).FindAllString(w.Body.String(), -1); len(rows) != 24 {
		t.Errorf("the table has %d hours", len(rows))
	}
}

// However the figures are, no bar leaves the picture.
func TestTheChartKeepsToItsRoom(t *testing.T) {
	t.Parallel()
	s := watched(signedIn(t))
	s.api.on("GET /api/overview", http.StatusOK, overviewAnswer(map[string]any{"hours": hoursOf(map[int][3]int{3: {1_000_000_000, 1, 1}, 4: {1, 1, 1_000_000_000}, 5: {1, 1, 1}})}))
	for _, bar := range drawn(s.get("/").Body.String()) {
		y, err := strconv.Atoi(bar[2])
		if err != nil || y < 0 || y >= 200 {
			t.Errorf("bar %v", bar)
		}
	}
}
