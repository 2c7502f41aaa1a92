package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

const passwordVariable = "BULK_SIGNER_ENCRYPTION_PASSWORD"

// maxPassword bounds what is read of a password, in bytes.
const maxPassword = 4 << 10

// readPassword takes the password from a file if one is named, and otherwise from the environment.
func readPassword(file string, s surroundings) (string, error) {
	switch file {
	case "":
		if p := s.getenv(passwordVariable); p != "" {
			return p, nil
		}
		return "", errors.New("the password is missing: set " + passwordVariable + " or -password-file")
	case "-":
		return line(s.stdin)
	}
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return line(f)
}

// line reads a password up to the end, and takes away one line break there, which editors and echo add. White space can
// belong to a password; a second line cannot.
func line(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxPassword+1))
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	if len(b) > maxPassword {
		return "", fmt.Errorf("the password is longer than %d bytes", maxPassword)
	}
	p := strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r")
	if strings.ContainsAny(p, "\r\n") {
		return "", errors.New("the password has more than one line")
	}
	return p, nil
}
