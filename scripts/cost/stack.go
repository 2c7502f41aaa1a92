package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bulksigner/scripts/permissions/synth"
)

// alarms counts the metrics that the deployment's alarms look at, with settings that name everything: what AWS charges for alarms.
func alarms(ctx context.Context, module string) (n int, err error) {
	dir, err := os.MkdirTemp("", "alarms")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	template, err := synth.Template(ctx, module, dir, filepath.Join(module, "scripts", "cost", "testdata", "settings.json"))
	if err != nil {
		return 0, err
	}
	return alarmMetrics(template)
}

// alarmMetrics counts the metrics of a template's alarms: one of each, or those that its formula names.
func alarmMetrics(template []byte) (n int, err error) {
	var t struct {
		Resources map[string]struct {
			Type       string
			Properties struct {
				Metrics []struct{ MetricStat any }
			}
		}
	}
	if err := json.Unmarshal(template, &t); err != nil {
		return 0, fmt.Errorf("read the template: %w", err)
	}
	for _, r := range t.Resources {
		if r.Type != "AWS::CloudWatch::Alarm" {
			continue
		}
		metrics := 0
		for _, m := range r.Properties.Metrics {
			if m.MetricStat != nil {
				metrics++
			}
		}
		n += max(1, metrics)
	}
	return n, nil
}

// metricsIn counts the custom metrics that the functions wrote into their logs, each with its labels.
func metricsIn(dir string) (int, error) {
	seen := map[string]bool{}
	logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		return 0, err
	}
	for _, path := range logs {
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		for line := range bytes.Lines(text) {
			for _, name := range metricsOf(line) {
				seen[name] = true
			}
		}
	}
	return len(seen), nil
}

// metricsOf names the metrics of a line of the embedded metric format, one for each set of dimensions. Other lines have none.
func metricsOf(line []byte) (names []string) {
	var root map[string]json.RawMessage
	var meta struct {
		CloudWatchMetrics []struct {
			Dimensions [][]string
			Metrics    []struct{ Name string }
		}
	}
	if json.Unmarshal(line, &root) != nil || json.Unmarshal(root["_aws"], &meta) != nil {
		return nil
	}
	for _, d := range meta.CloudWatchMetrics {
		for _, m := range d.Metrics {
			for _, set := range d.Dimensions {
				parts := []string{m.Name}
				for _, label := range slices.Sorted(slices.Values(set)) {
					parts = append(parts, label+"="+string(root[label]))
				}
				names = append(names, strings.Join(parts, " "))
			}
		}
	}
	return names
}
