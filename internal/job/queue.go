package job

// QueueCount is about how many messages a queue holds: SQS counts approximately, and up to a minute late.
type QueueCount struct {
	Waiting  int
	InFlight int // in somebody's hands
	Delayed  int
}

// Sum is all that the queue holds.
func (c QueueCount) Sum() int { return c.Waiting + c.InFlight + c.Delayed }

// QueueState is how a queue stands.
type QueueState struct {
	Name  string
	Count QueueCount
	// Dead counts the messages that nobody could handle; nil where nobody says which queue they go to.
	Dead *QueueCount
}

// Returned is what became of dead letters that were to go back to their queue.
type Returned struct {
	Moved int
	Left  int // about how many there still are
}
