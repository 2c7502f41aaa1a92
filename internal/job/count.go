package job

// Parts of what was counted of a metric. A counter has its total; a histogram has a sum, in millionths of its unit so that
// it stays a whole number, and a part for each of its buckets.
const (
	PartTotal = "total"
	PartSum   = "sum"
)

// Count is how far one part of a metric was counted, or by how much it is to be counted further.
type Count struct {
	Name   string // a metric's, without the product's prefix
	Labels string // a JSON object of texts in its one form: sorted, without spaces; {} if the metric has no labels
	Part   string
	Value  int64
}
