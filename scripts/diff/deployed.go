package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/config"
)

const (
	// maxAnswer bounds an answer of CloudFormation: a template in XML.
	maxAnswer = 2 * maxTemplate
	// answerTime is how long one answer may take.
	answerTime = 30 * time.Second
	// maxPages bounds the pages of a stack's resources; a stack has 500 of them at most.
	maxPages = 20
)

// errNoStack says that there is no stack of a name, so that everything in it would be new.
var errNoStack = errors.New("there is no such stack")

// cloud asks CloudFormation. It is two questions of its query API, which do not need a client of their own.
type cloud struct {
	config aws.Config
	http   *http.Client
}

// connect finds credentials and region as all AWS tools do, and says what is missing.
func connect(ctx context.Context) (cloud, error) {
	c, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return cloud{}, fmt.Errorf("the AWS configuration cannot be used: %w", err)
	}
	if c.Region == "" {
		return cloud{}, errors.New("there is no region: set AWS_REGION, or a region in the profile of AWS_PROFILE")
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	if _, err := c.Credentials.Retrieve(ctx); err != nil {
		return cloud{}, fmt.Errorf("there are no AWS credentials: set AWS_PROFILE, or sign in (aws sso login, aws configure): %w", err)
	}
	return cloud{c, &http.Client{Timeout: answerTime}}, nil
}

// template reads the template that a stack was deployed from.
func (c cloud) template(ctx context.Context, stack string) (template, error) {
	var out struct {
		Body string `xml:"GetTemplateResult>TemplateBody"`
	}
	err := c.ask(ctx, url.Values{"Action": {"GetTemplate"}, "StackName": {stack}, "TemplateStage": {"Original"}}, &out)
	if err != nil {
		return template{}, fmt.Errorf("read the template of stack %s: %w", stack, err)
	}
	t, err := parseTemplate(strings.NewReader(out.Body))
	if err != nil {
		return t, fmt.Errorf("read the template of stack %s: %w", stack, err)
	}
	return t, nil
}

// names reads what the resources of a stack are called in the account, by their ids in the template.
func (c cloud) names(ctx context.Context, stack string) (map[string]string, error) {
	names, next := map[string]string{}, ""
	for range maxPages {
		form := url.Values{"Action": {"ListStackResources"}, "StackName": {stack}}
		if next != "" {
			form.Set("NextToken", next)
		}
		var out struct {
			Members []struct {
				Logical  string `xml:"LogicalResourceId"`
				Physical string `xml:"PhysicalResourceId"`
			} `xml:"ListStackResourcesResult>StackResourceSummaries>member"`
			Next string `xml:"ListStackResourcesResult>NextToken"`
		}
		if err := c.ask(ctx, form, &out); err != nil {
			return nil, fmt.Errorf("list the resources of stack %s: %w", stack, err)
		}
		for _, m := range out.Members {
			names[m.Logical] = m.Physical
		}
		if next = out.Next; next == "" {
			return names, nil
		}
	}
	return nil, fmt.Errorf("list the resources of stack %s: they have no end", stack)
}

func (c cloud) ask(ctx context.Context, form url.Values, out any) error {
	form.Set("Version", "2010-05-15")
	body := []byte(form.Encode())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	who, err := c.config.Credentials.Retrieve(ctx)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	if err := v4.NewSigner().SignHTTP(ctx, who, r, hex.EncodeToString(sum[:]), "cloudformation", c.config.Region, time.Now()); err != nil {
		return err
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return refusal(resp.StatusCode, data)
	}
	return xml.Unmarshal(data, out)
}

func (c cloud) endpoint() string {
	if c.config.BaseEndpoint != nil {
		return *c.config.BaseEndpoint
	}
	domain := "amazonaws.com"
	if strings.HasPrefix(c.config.Region, "cn-") {
		domain += ".cn"
	}
	return "https://cloudformation." + c.config.Region + "." + domain + "/"
}

// refusal reads an error of CloudFormation.
func refusal(status int, data []byte) error {
	var e struct {
		Code    string `xml:"Error>Code"`
		Message string `xml:"Error>Message"`
	}
	if err := xml.Unmarshal(data, &e); err != nil || e.Code == "" {
		return fmt.Errorf("CloudFormation answers %d", status)
	}
	if e.Code == "ValidationError" && strings.Contains(e.Message, "does not exist") {
		return errNoStack
	}
	return fmt.Errorf("CloudFormation answers %s (%d): %s", e.Code, status, e.Message)
}
