package console

import "time"

// The chart's own units. It is stretched to the room that it has, so that they are no pixels.
const (
	chartWidth  = 720
	chartHeight = 200
	chartRoom   = 190 // of the highest bar; small parts take a little more than they should
	barGap      = 6
	// leastBar is the height of the smallest part: one failure among thousands is seen.
	leastBar = 4
	// hoursPerTick is how many hours lie between two times at the chart's foot.
	hoursPerTick = 3
)

// chart is stacked bars, one an hour.
type chart struct {
	Width, Height int
	Highest       int64 // how many jobs the highest bar stands for
	Bars          []bar
	Ticks         []time.Time
}

// bar is a part of an hour's bar. Kind is the class that paints it.
type bar struct {
	Kind                string
	X, Y, Width, Height int
}

// chartOf draws hours from left to right. What was completed stands at the bottom and what was canceled on top.
func chartOf(hours []endedHour) chart {
	c := chart{Width: chartWidth, Height: chartHeight}
	for i, h := range hours {
		c.Highest = max(c.Highest, max(0, h.Completed)+max(0, h.Failed)+max(0, h.Canceled))
		if i%hoursPerTick == 0 {
			c.Ticks = append(c.Ticks, h.Start)
		}
	}
	for i, h := range hours {
		c.stack(i*chartWidth/len(hours), chartWidth/len(hours)-barGap, h.endings)
	}
	return c
}

// stack draws one hour.
func (c *chart) stack(x, width int, e endings) {
	top := chartHeight
	for _, part := range []struct {
		kind string
		jobs int64
	}{{"completed", e.Completed}, {"failed", e.Failed}, {"canceled", e.Canceled}} {
		if part.jobs <= 0 {
			continue
		}
		height := max(leastBar, int(part.jobs*chartRoom/c.Highest))
		top -= height
		c.Bars = append(c.Bars, bar{Kind: part.kind, X: x + barGap/2, Y: top, Width: width, Height: height})
	}
}
