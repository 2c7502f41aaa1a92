package profile

import "fmt"

// Refusal is one reason why a profile is not accepted. It never quotes a value, since a secret may stand where it does not
// belong.
type Refusal struct {
	Rule    int    // number of the rule; it never changes its meaning
	Key     string // as in the settings file, below the profile: Certificate:Kms:KeyId
	Message string // what is wrong, in English, to be read after the key
	Remedy  string // what to do about it, in English

	portuguese struct{ message, remedy string }
}

// In says what is wrong and what to do about it in a language. What is stored or logged is English.
func (r Refusal) In(l Language) (message, remedy string) {
	if l == Portuguese && r.portuguese.message != "" {
		return r.portuguese.message, r.portuguese.remedy
	}
	return r.Message, r.Remedy
}

// sentence says one thing in each language. Keys and their values stand in both as they are written in a settings file.
type sentence struct{ english, portuguese string }

// with fills in what a sentence leaves open.
func (s sentence) with(values ...any) sentence {
	return sentence{fmt.Sprintf(s.english, values...), fmt.Sprintf(s.portuguese, values...)}
}

// after puts something before a sentence.
func (s sentence) after(english, portuguese string) sentence {
	return sentence{english + s.english, portuguese + s.portuguese}
}

func refuse(number int, key string, message, remedy sentence) Refusal {
	r := Refusal{Rule: number, Key: key, Message: message.english, Remedy: remedy.english}
	r.portuguese.message, r.portuguese.remedy = message.portuguese, remedy.portuguese
	return r
}
