package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/settings"
)

type settingsOutput struct {
	Body settingList
}

// settingList has the settings in force.
type settingList struct {
	Settings []setting `json:"settings" nullable:"false" doc:"In the order of the settings file."`
	_        struct{}  `json:"-" additionalProperties:"true"`
}

// setting is one key that is in force.
type setting struct {
	Key      string          `json:"key" doc:"As in the settings file, with colons between its sections: Storage:Inputs[0]:Prefix."`
	Value    settingValue    `json:"value" doc:"A text, a number, true or false, or a list of texts. A secret, or the ARN of one, is three asterisks, or empty if there is none."`
	Source   settings.Source `json:"source" enum:"default,file,environment" doc:"Where the value came from."`
	Variable *string         `json:"variable" doc:"The environment variable that it came from, if it did."`
	Note     *string         `json:"note" doc:"What else there is to know."`
	_        struct{}        `json:"-" additionalProperties:"true"`
}

// settingValue is a value of one of several types.
type settingValue struct{ value any }

// MarshalJSON writes the value itself.
func (v settingValue) MarshalJSON() ([]byte, error) { return json.Marshal(v.value) }

// Schema lists the types, which reflection cannot see.
func (settingValue) Schema(huma.Registry) *huma.Schema {
	text := &huma.Schema{Type: huma.TypeString}
	return &huma.Schema{OneOf: []*huma.Schema{
		text, {Type: huma.TypeInteger}, {Type: huma.TypeBoolean}, {Type: huma.TypeArray, Items: text},
	}}
}

// addSettings adds the route that shows the settings.
func (s *server) addSettings(a huma.API) {
	huma.Register(a, protected(huma.Operation{
		OperationID: "getSettings", Method: http.MethodGet, Path: "/api/settings", Tags: []string{"Service"},
		Summary:     "The settings in force, and where each came from",
		Description: "Keys of a section that is off are not in force and not shown. Secrets are never shown.",
	}), func(context.Context, *struct{}) (*settingsOutput, error) {
		return &settingsOutput{settingsOf(s.Settings.Report())}, nil
	})
}

func settingsOf(entries []settings.Entry) settingList {
	list := settingList{Settings: make([]setting, 0, len(entries))}
	for _, e := range entries {
		list.Settings = append(list.Settings, setting{
			Key: e.Key, Value: settingValue{e.Value}, Source: e.Source, Variable: optional(e.Variable), Note: optional(e.Note),
		})
	}
	return list
}
