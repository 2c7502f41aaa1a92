// Package synth makes the deployment's template, for those who compare it with something. It needs Node.js, and no AWS account.
package synth

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// maxTemplate is CloudFormation's own limit of a template.
const maxTemplate = 1 << 20

// Functions are those that a deployment with Lacuna Signer and its webhook has.
var Functions = []string{"sign", "poll", "sweep", "recover", "api", "notify"}

// Template synthesizes the stack with a settings file, below an empty folder, and returns its template. module is the folder of
// go.mod. Buckets have the names that they have in the run on one machine.
func Template(ctx context.Context, module, dir, settings string) ([]byte, error) {
	dist, assembly := filepath.Join(dir, "dist"), filepath.Join(dir, "assembly")
	if err := pretendPrograms(dist); err != nil {
		return nil, err
	}
	options, err := json.Marshal(map[string]string{
		"settings": settings, "dist": dist, "inputBucket": "bulksigner-input", "outputBucket": "bulksigner-output",
	})
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "run", ".")
	cmd.Dir = filepath.Join(module, "infra")
	cmd.Env = append(os.Environ(), "CDK_OUTDIR="+assembly, "CDK_CONTEXT_JSON="+string(options))
	if said, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("synthesize the deployment: %w: %s", err, bytes.TrimSpace(said))
	}
	files, err := filepath.Glob(filepath.Join(assembly, "*.template.json"))
	if err != nil || len(files) != 1 {
		return nil, errors.Join(err, fmt.Errorf("synthesize the deployment: %d templates, want one", len(files)))
	}
	data, err := os.ReadFile(files[0])
	if err == nil && len(data) > maxTemplate {
		err = errors.New("the template is larger than templates can be")
	}
	return data, err
}

// pretendPrograms makes files that pass for the deployment's programs: heads of programs for its machines. Nobody runs them.
func pretendPrograms(dist string) error {
	head := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_AARCH64), Version: uint32(elf.EV_CURRENT), Ehsize: 64}
	copy(head.Ident[:], elf.ELFMAG)
	head.Ident[elf.EI_CLASS], head.Ident[elf.EI_DATA], head.Ident[elf.EI_VERSION] = 2, 1, 1
	var program bytes.Buffer
	if err := binary.Write(&program, binary.LittleEndian, head); err != nil {
		return err
	}
	for _, name := range Functions {
		if err := os.MkdirAll(filepath.Join(dist, name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dist, name, "bootstrap"), program.Bytes(), 0o755); err != nil {
			return err
		}
	}
	return nil
}
