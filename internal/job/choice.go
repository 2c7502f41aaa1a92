package job

// Choice is something that an operator may ask for about a job.
type Choice string

// The choices, in the words of the API.
const (
	ChooseCancel   Choice = "cancel"
	ChooseRetry    Choice = "retry"
	ChooseDownload Choice = "download"
	ChooseDelete   Choice = "delete"
)

// Choices are what may be asked for now, as far as the job itself tells. A retry can still be refused for what became of
// the profile or the input, and a download for what became of the output.
func (j Job) Choices() []Choice {
	choices := []Choice{}
	if j.cancelable() {
		choices = append(choices, ChooseCancel)
	}
	if j.Retriable() == nil {
		choices = append(choices, ChooseRetry)
	}
	if j.Status == Completed && j.Output.Key != "" {
		choices = append(choices, ChooseDownload)
	}
	return append(choices, ChooseDelete)
}

// cancelable reports whether an operator may end the job.
func (j Job) cancelable() bool { return j.Status == Queued || j.Status == AwaitingSigner }
