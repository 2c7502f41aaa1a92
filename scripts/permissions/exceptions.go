package main

// Reasons that hold for several functions.
const (
	ofLambda   = "Lambda itself does it, with the function's role: it writes what the function logs. On one machine that goes to a file."
	ofMapping  = "Lambda's event source mapping asks it, with the function's role, before it takes messages."
	onFailure  = "Lambda itself sends there, with the function's role, a tick whose run failed. On one machine such a run is logged."
	ofClearing = "It carries on where `DELETE /api/jobs` has more to delete than the API has time for."
)

// exceptions are grants that the run does not use, and why they stand.
var exceptions = []exception{
	{action: "logs:CreateLogStream", reason: ofLambda},
	{action: "logs:PutLogEvents", reason: ofLambda},
	{action: "sqs:GetQueueAttributes", function: "sign", place: "queue `work`", reason: ofMapping},
	{action: "sqs:GetQueueAttributes", function: "sweep", place: "queue `checks`", reason: ofMapping},
	{action: "sqs:SendMessage", place: "dead ticks", reason: onFailure},
	{action: "dynamodb:DeleteItem", function: "recover", reason: ofClearing},
	{action: "dynamodb:Query", function: "recover", place: "index `byDay`", reason: ofClearing},
	{action: "dynamodb:DeleteItem", function: "notify", reason: "It takes its mark back where the queue of checks refuses the message."},
}

// withheld are rights that functions would use and are not to have.
var withheld = []exception{
	{action: "s3:ListBucket", place: "the bucket of what the settings name",
		reason: "The bucket is somebody else's. Of an object that is not there S3 says then that it may not be read, and so does the profile."},
}
