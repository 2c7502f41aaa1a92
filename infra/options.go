package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// The settings files that are looked for when the context names none.
const (
	ownSettings     = "../settings.json"
	exampleSettings = "../settings.example.json"
)

// restoreDays is how long a replaced or deleted input lives after the time that a person may take to sign: somebody can ask
// for it back. personDays is that time where the settings name none.
const restoreDays, personDays = 30, 7

// Options are the choices of one deployment. Each has its key in the CDK context (`-c key=value`); none has to be given.
type Options struct {
	Stack    string // stack: name of the stack, and the beginning of the buckets' names; default bulksigner
	Settings string // settings: path of the settings file; default settings.json, or the example, in the folder above
	Dist     string // dist: folder with one folder per function; default ../dist

	InputBucket  string // inputBucket: default <stack>-input-<account>-<region>
	OutputBucket string // outputBucket: default <stack>-output-<account>-<region>
	CustomerKey  bool   // encryption=kms: the buckets are encrypted with a key of this stack; default s3, keys of S3
	InputDays    int    // inputDays: how long inputs that were replaced or deleted are kept; 0 is the least for the settings
	Existing     Existing

	Table    string // table: existing table that was restored, in the place of the stack's own; default none
	Restored string // restored: the moment to which the table was set back; the service starts paused; default none

	AccessLogs string // accessLogsBucket: existing bucket that the buckets' access logs go to; default none
	AlarmTopic string // alarmTopicArn: existing SNS topic that alarms are sent to; default none

	ProfileKeys    []Allowed // profileKeys: keys and aliases of KMS that profiles may name besides those of the settings
	ProfileSecrets []Allowed // profileSecrets: secrets with PKCS#12 files, and with their passwords
	ProfileObjects []Allowed // profileObjects: objects with certificates, PKCS#12 files and images of seals

	Network    Network
	Hsm        Hsm
	Domain     Domain
	SigningKey SigningKey

	Gone    bool              // keep=false: table, buckets and logs go with the stack; default true, they stay
	LogDays int               // logDays: how long logs are kept; default 180
	Tags    map[string]string // tags: on everything that can have them, besides those of the stack; default none
}

var (
	stackForm  = regexp.MustCompile(`^[a-z][a-z0-9-]{0,24}$`) // leaves a bucket's name room for account and region
	bucketForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$`)
	tableForm  = regexp.MustCompile(`^[A-Za-z0-9_.-]{3,255}$`)
	topicForm  = regexp.MustCompile(`^arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]{1,256}$`)
)

// ReadOptions reads the options from a CDK context and reports all faults together.
func ReadOptions(context func(key string) any) (Options, error) {
	r := optionReader{context: context}
	o := Options{
		Stack:        r.text("stack", "bulksigner", stackForm),
		Settings:     r.text("settings", firstSettings(), nil),
		Dist:         r.text("dist", "../dist", nil),
		InputBucket:  r.text("inputBucket", "", bucketForm),
		OutputBucket: r.text("outputBucket", "", bucketForm),
		CustomerKey:  r.text("encryption", "s3", regexp.MustCompile(`^(s3|kms)$`)) == "kms",
		InputDays:    r.days("inputDays"),
		Table:        r.text("table", "", tableForm),
		Restored:     r.moment("restored"),
		AccessLogs:   r.text("accessLogsBucket", "", bucketForm),
		AlarmTopic:   r.text("alarmTopicArn", "", topicForm),

		ProfileKeys:    r.allowed("profileKeys", keyForm),
		ProfileSecrets: r.allowed("profileSecrets", secretForm),
		ProfileObjects: r.allowed("profileObjects", objectForm),

		Network:    r.network(),
		Hsm:        r.hsm(),
		Domain:     r.domain(),
		SigningKey: r.signingKey(),

		Gone:    !r.flag("keep", true),
		LogDays: r.logDays("logDays"),
		Tags:    r.tags("tags"),
	}
	o.Existing = r.existing(o)
	if o.InputBucket != "" && o.InputBucket == o.OutputBucket {
		r.fault("outputBucket", "it is the input bucket too, so that every output would be taken in again; name another")
	}
	r.checkTable(o)
	return o, errors.Join(r.faults...)
}

func firstSettings() string {
	if _, err := os.Stat(ownSettings); err == nil {
		return ownSettings
	}
	return exampleSettings
}

type optionReader struct {
	context func(key string) any
	faults  []error
}

// text reads a value as the command line (a string) or a context file (any JSON value) gives it.
func (r *optionReader) text(key, fallback string, form *regexp.Regexp) string {
	v := r.context(key)
	if v == nil {
		return fallback
	}
	s := fmt.Sprint(v)
	if s == "" || form != nil && !form.MatchString(s) {
		r.fault(key, fmt.Sprintf("%q is not usable%s", s, usable(form)))
		return fallback
	}
	return s
}

// choiceForm is a form that lists words.
var choiceForm = regexp.MustCompile(`^\^\(?([A-Za-z0-9_]+(?:\|[A-Za-z0-9_]+)*)\)?\$$`)

// usable says what is, where that are a few words.
func usable(form *regexp.Regexp) string {
	if form == nil {
		return ""
	}
	if m := choiceForm.FindStringSubmatch(form.String()); m != nil {
		return "; it may be " + strings.ReplaceAll(m[1], "|", " or ")
	}
	return ""
}

// flag reads a yes or no.
func (r *optionReader) flag(key string, fallback bool) bool {
	switch r.context(key) {
	case nil:
		return fallback
	case true, "true":
		return true
	case false, "false":
		return false
	}
	r.fault(key, "it must be true or false")
	return fallback
}

// list reads texts of one form: a list, or on the command line JSON or texts between commas.
func (r *optionReader) list(key string, form *regexp.Regexp, most int) (texts []string) {
	entries, ok := entriesOf(r.context(key))
	if !ok || len(entries) > most {
		r.fault(key, fmt.Sprintf("it must be a list of at most %d entries", most))
		return nil
	}
	for i, e := range entries {
		s, ok := e.(string)
		if !ok || !form.MatchString(s) {
			r.fault(fmt.Sprintf("%s[%d]", key, i), fmt.Sprintf("%q is not usable", fmt.Sprint(e)))
			continue
		}
		texts = append(texts, s)
	}
	return texts
}

// days reads a number of days, or 0 where the settings are to say it.
func (r *optionReader) days(key string) int {
	s := r.text(key, "", nil)
	if s == "" {
		return 0
	}
	const least = personDays + restoreDays
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > 36500 {
		r.fault(key, fmt.Sprintf("it must be a whole number from %d to 36500", least))
	}
	return n
}

// keepInputs makes old versions of inputs live as long as a job may need them: what was claimed is what is read. Fewer days
// are refused, and where none are given it takes the least.
func (c *Config) keepInputs() error {
	least := restoreDays + max(personDays, (c.Settings.Signer.TimeoutHours+23)/24)
	if c.Options.InputDays == 0 {
		c.Options.InputDays = least
	}
	if c.Options.InputDays < least {
		return fmt.Errorf("context inputDays: it must be at least %d: the %d hours of Signer:TimeoutHours that a document may wait "+
			"for its person, and %d days in which somebody can ask for an input back", least, c.Settings.Signer.TimeoutHours, restoreDays)
	}
	return nil
}

func (r *optionReader) fault(key, sentence string) {
	r.faults = append(r.faults, fmt.Errorf("context %s: %s", key, sentence))
}
