package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

// maxTemplate is CloudFormation's limit of a template in bytes, and room for how a file is laid out.
const maxTemplate = 4 << 20

// template is a stack as far as it is compared.
type template struct {
	Resources map[string]resource
}

// resource is one resource of a stack.
type resource struct {
	Type                string
	Properties          map[string]any
	DeletionPolicy      string
	UpdateReplacePolicy string
}

func readTemplate(path string) (template, error) {
	f, err := os.Open(path)
	if err != nil {
		return template{}, err
	}
	defer f.Close()
	t, err := parseTemplate(f)
	if err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

func parseTemplate(r io.Reader) (t template, _ error) {
	data, err := io.ReadAll(io.LimitReader(r, maxTemplate+1))
	if err != nil {
		return t, fmt.Errorf("read the template: %w", err)
	}
	if len(data) > maxTemplate {
		return t, fmt.Errorf("it has more than %d bytes, so that it is no template", maxTemplate)
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return t, fmt.Errorf("it is no template in JSON: %w", err)
	}
	if len(t.Resources) == 0 {
		return t, fmt.Errorf("it is no template: it has no resources")
	}
	return t, nil
}

// idHash is what the CDK puts behind the name of a construct.
var idHash = regexp.MustCompile(`(Resource)?[0-9A-F]{8}$`)

func plainID(id string) string { return idHash.ReplaceAllString(id, "") }

// kinds are the types of resources in words. What is not here is named by the end of its type.
var kinds = map[string]string{
	"AWS::DynamoDB::GlobalTable": "table", "AWS::DynamoDB::Table": "table", "AWS::S3::Bucket": "bucket", "AWS::SQS::Queue": "queue",
	"AWS::KMS::Key": "key", "AWS::Lambda::Function": "function", "AWS::Logs::LogGroup": "log group", "AWS::IAM::Role": "role",
	"AWS::CloudWatch::Alarm": "alarm", "AWS::CloudWatch::Dashboard": "dashboard", "AWS::Scheduler::Schedule": "schedule",
	"AWS::ApiGatewayV2::Api": "HTTP API", "AWS::ApiGatewayV2::Route": "route", "AWS::ApiGatewayV2::Stage": "stage of the HTTP API",
	"AWS::IAM::Policy": "policy", "AWS::IAM::ManagedPolicy": "policy", "AWS::S3::BucketPolicy": "policy", "AWS::SQS::QueuePolicy": "policy",
	"AWS::Lambda::EventSourceMapping": "event source", "AWS::Lambda::Permission": "right to invoke",
}

func kindOf(t string) string {
	if k, ok := kinds[t]; ok {
		return k
	}
	return t[strings.LastIndex(t, ":")+1:]
}

// text writes a value as people read it: a resource by its name, a text that is put together as one text.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		return v
	case []any:
		return strings.Join(texts(v), ", ")
	case map[string]any:
		if s, ok := intrinsic(v); ok {
			return s
		}
	}
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was JSON
	}
	return string(data)
}

// intrinsic writes the functions of CloudFormation that the stack uses.
func intrinsic(v map[string]any) (string, bool) {
	if ref, ok := v["Ref"].(string); ok {
		return reference(ref), true
	}
	if get, ok := v["Fn::GetAtt"].([]any); ok && len(get) == 2 {
		if text(get[1]) == "Arn" {
			return reference(text(get[0])), true
		}
		return reference(text(get[0])) + "." + text(get[1]), true
	}
	if join, ok := v["Fn::Join"].([]any); ok && len(join) == 2 {
		return strings.Join(texts(join[1]), text(join[0])), true
	}
	if sub, ok := v["Fn::Sub"].(string); ok {
		return sub, true
	}
	return "", false
}

// reference names what is referred to. Region and account are those of the stack, whichever it is.
func reference(id string) string {
	switch id {
	case "AWS::Partition":
		return "aws"
	case "AWS::Region":
		return "REGION"
	case "AWS::AccountId":
		return "ACCOUNT"
	case "AWS::NoValue":
		return "nothing"
	}
	return plainID(id)
}

// texts writes one value or a list of them.
func texts(v any) []string {
	list, ok := v.([]any)
	if !ok {
		return []string{text(v)}
	}
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = text(e)
	}
	return out
}

// refersTo reports whether a value mentions a resource.
func refersTo(v any, id string) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return refersTo(e, id) })
	case map[string]any:
		if v["Ref"] == id {
			return true
		}
		if get, ok := v["Fn::GetAtt"].([]any); ok && len(get) > 0 && get[0] == id {
			return true
		}
		for _, e := range v {
			if refersTo(e, id) {
				return true
			}
		}
	}
	return false
}
