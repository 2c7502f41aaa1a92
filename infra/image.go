package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsecrassets"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"
)

// sources is where the module of the functions is, which an image is built from.
const sources = ".."

// imageFolder is where the description of a function's image is, in this folder; and, below dist, everything that it is built from.
const imageFolder = "image"

// imageOf reports whether a function is deployed as an image.
func (c Config) imageOf(name string) bool { return c.Options.Hsm.wanted && name == signFunction.name }

// program gives a function its program: a folder with it, or an image that is built when it is deployed.
func (s *service) program(f function, p *awslambda.FunctionProps) {
	if !f.tokens || !s.options.Hsm.wanted {
		p.Runtime, p.Handler = awslambda.Runtime_PROVIDED_AL2023(), jsii.String("bootstrap")
		p.Code = awslambda.Code_FromAsset(jsii.String(filepath.Join(s.options.Dist, f.name)), nil)
		return
	}
	p.Runtime, p.Handler = awslambda.Runtime_FROM_IMAGE(), awslambda.Handler_FROM_IMAGE()
	p.Code = awslambda.Code_FromAssetImage(jsii.String(filepath.Join(s.options.Dist, imageFolder, f.name)), &awslambda.AssetImageCodeProps{
		Platform: awsecrassets.Platform_LINUX_ARM64(),
		BuildArgs: &map[string]*string{
			"CLIENT_URL": &s.options.Hsm.Client, "CLIENT_SHA256": &s.options.Hsm.ClientSum,
		},
	})
}

// stage puts everything that a function's image is built from into one folder of its own, so that nothing else of the
// checkout gets into it, and what is not in it changes no image.
func (c Config) stage(name string) error {
	dir := filepath.Join(c.Options.Dist, imageFolder, name)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "settings"), 0o755); err != nil {
		return err
	}
	var faults []error
	for _, part := range []struct{ from, to string }{
		{filepath.Join(imageFolder, name), "."},
		{filepath.Join(sources, "go.mod"), "go.mod"}, {filepath.Join(sources, "go.sum"), "go.sum"},
		{filepath.Join(sources, "functions", name), filepath.Join("functions", name)},
		{filepath.Join(sources, "functions", "internal"), filepath.Join("functions", "internal")},
		{filepath.Join(sources, "internal"), "internal"},
	} {
		faults = append(faults, stagePart(part.from, filepath.Join(dir, part.to)))
	}
	if err := c.copyTo(filepath.Join(dir, "settings")); err != nil {
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// stagePart copies a file or a folder without its tests.
func stagePart(from, to string) error {
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case e.IsDir() && e.Name() == "testdata":
			return filepath.SkipDir
		case e.IsDir():
			return os.MkdirAll(target, 0o755)
		case !e.Type().IsRegular() || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	})
	if err != nil {
		return fmt.Errorf("copy %s for an image: %w", from, err)
	}
	return nil
}
