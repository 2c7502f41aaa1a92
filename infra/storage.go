package main

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/jsii-runtime-go"
)

// bucket is a bucket with a name that is known before it exists, so that policies of others can say it.
type bucket struct {
	awss3.IBucket
	name, arn string
	ours      bool // the stack made it
}

// objects is the ARN of the bucket's objects, or of those that a pattern describes.
func (b bucket) objects(pattern string) string { return b.arn + "/" + pattern }

// anyName is why roles name all objects of a bucket, or of a prefix.
const anyName = "The bucket holds documents of this service alone, under names that callers choose."

// lookAtInputs lets a function see whether an input is there and which version is current. HEAD has no right of its own: it
// takes the one to read.
func (s *service) lookAtInputs() grant {
	return allow("LookAtInputs", s.input.objects("*"), "s3:GetObject").because(anyName)
}

// newBuckets makes the input and the output bucket. Both are versioned: what was claimed is what is read, and what was
// published stays. Both survive the stack, unless the context says otherwise; a new stack of the same name refuses to start
// beside them rather than with empty ones, until they are imported or named otherwise.
func (s *service) newBuckets() {
	if s.options.CustomerKey {
		s.bucketKey = awskms.NewKey(s.stack, jsii.String("BucketKey"), &awskms.KeyProps{
			Description:       jsii.String("Encrypts the documents of " + s.options.Stack),
			EnableKeyRotation: jsii.Bool(true),
			RemovalPolicy:     s.removal(),
		})
	}
	s.output = s.newBucket("Output", s.options.OutputBucket, abandonedUploads())
	if s.options.Existing.Bucket != "" {
		s.input = s.existingInput()
		return
	}
	s.input = s.newBucket("Input", s.options.InputBucket, abandonedUploads(), &awss3.LifecycleRule{
		Id:                          jsii.String("RemoveOldVersions"),
		NoncurrentVersionExpiration: awscdk.Duration_Days(jsii.Number(s.options.InputDays)),
		ExpiredObjectDeleteMarker:   jsii.Bool(true),
	})
	s.notify()
}

// abandonedUploads frees the parts of uploads that nobody will complete: a run that died leaves one, and a job's runs are
// over after days at most.
func abandonedUploads() *awss3.LifecycleRule {
	return &awss3.LifecycleRule{
		Id:                                  jsii.String("AbortAbandonedUploads"),
		AbortIncompleteMultipartUploadAfter: awscdk.Duration_Days(jsii.Number(7)),
	}
}

func (s *service) newBucket(id, name string, rules ...*awss3.LifecycleRule) bucket {
	if name == "" {
		name = fmt.Sprintf("%s-%s-%s-%s", s.options.Stack, map[string]string{"Input": "input", "Output": "output"}[id],
			*s.stack.Account(), *s.stack.Region())
	}
	props := &awss3.BucketProps{
		BucketName:        &name,
		Versioned:         jsii.Bool(true),
		EnforceSSL:        jsii.Bool(true),
		MinimumTLSVersion: jsii.Number(1.2),
		BlockPublicAccess: awss3.BlockPublicAccess_BLOCK_ALL(),
		ObjectOwnership:   awss3.ObjectOwnership_BUCKET_OWNER_ENFORCED,
		Encryption:        awss3.BucketEncryption_S3_MANAGED,
		LifecycleRules:    &rules,
		RemovalPolicy:     s.removal(),
	}
	if s.bucketKey != nil {
		props.Encryption, props.EncryptionKey = awss3.BucketEncryption_KMS, s.bucketKey
		props.BucketKeyEnabled = jsii.Bool(true) // a key per bucket and not per object: one request to KMS for many
	}
	s.logAccess(props, id)
	b := awss3.NewBucket(s.stack, &id, props)
	if props.ServerAccessLogsBucket == nil {
		accept(b, "AwsSolutions-S1", "Whether and where the organization keeps access logs is its own decision, made with "+
			"the context key accessLogsBucket. Each job keeps its own record of who signed what and when.")
	}
	return bucket{IBucket: b, name: name, arn: s.s3(name), ours: true}
}

func (s *service) logAccess(props *awss3.BucketProps, id string) {
	if s.options.AccessLogs == "" {
		return
	}
	props.ServerAccessLogsBucket = awss3.Bucket_FromBucketName(s.stack, jsii.String(id+"AccessLogs"), &s.options.AccessLogs)
	props.ServerAccessLogsPrefix = jsii.String(s.options.Stack + "/" + id + "/")
}

// notify tells the work queue about every new object of the input bucket. The bucket says so itself: the construct for it
// would deploy a function that may change the notifications of every bucket in the account. The configuration is the
// bucket's only one and goes with it, so that no old entry can stay behind.
func (s *service) notify() {
	ring(s.stack, s.work.Queue, s.input.arn)
	resource := s.input.Node().DefaultChild().(awss3.CfnBucket)
	resource.SetNotificationConfiguration(&awss3.CfnBucket_NotificationConfigurationProperty{
		QueueConfigurations: &[]any{&awss3.CfnBucket_QueueConfigurationProperty{
			Event: jsii.String("s3:ObjectCreated:*"), Queue: s.work.QueueArn(),
		}},
	})
	resource.Node().AddDependency(s.work.Queue) // with its policy: S3 tries the queue before it accepts the configuration
}

// takeUploads lets the console's pages send large files straight to the input bucket: to a link, with the headers that the
// link was signed for. Pages of other origins get no further than their browser.
func (s *service) takeUploads() {
	if !s.input.ours {
		return // its rules are its owner's
	}
	s.input.IBucket.(awss3.Bucket).AddCorsRule(&awss3.CorsRule{
		AllowedMethods: &[]awss3.HttpMethods{awss3.HttpMethods_PUT},
		AllowedHeaders: jsii.Strings("Content-Type", "If-None-Match"),
		AllowedOrigins: &[]*string{s.origin()},
		MaxAge:         jsii.Number(3600),
	})
}

// keepVersions denies all functions what could lose a version, whatever their roles come to say.
func (s *service) keepVersions(roles []*string) {
	for _, b := range []bucket{s.input, s.output} {
		if !b.ours {
			continue // its policy is its owner's; no role of the stack has these rights
		}
		b.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
			Sid:        jsii.String("KeepVersions"),
			Effect:     awsiam.Effect_DENY,
			Principals: &[]awsiam.IPrincipal{awsiam.NewAnyPrincipal()},
			Actions: jsii.Strings("s3:DeleteObjectVersion", "s3:PutBucketVersioning", "s3:PutLifecycleConfiguration",
				"s3:PutBucketPolicy", "s3:DeleteBucketPolicy"),
			Resources:  jsii.Strings(b.arn, b.objects("*")),
			Conditions: &map[string]any{"ArnEquals": map[string]any{"aws:PrincipalArn": roles}},
		}))
	}
}

// throughS3 lets a function use the buckets' keys, if they have any, for what S3 does on its behalf.
func (s *service) throughS3(actions ...string) []grant {
	var keys []string
	if s.bucketKey != nil {
		keys = append(keys, *s.bucketKey.KeyArn())
	}
	if k := s.options.Existing.Key; k != "" {
		keys = append(keys, k)
	}
	if keys == nil {
		return nil
	}
	return []grant{{
		id: "BucketKey", actions: actions, resources: keys,
		conditions: map[string]any{"StringEquals": map[string]any{
			"kms:ViaService": fmt.Sprintf("s3.%s.%s", *s.stack.Region(), *s.stack.UrlSuffix()),
		}},
	}}
}
