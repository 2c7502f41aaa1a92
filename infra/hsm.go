package main

import (
	"cmp"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/jsii-runtime-go"

	"bulksigner/internal/profile"
)

// Hsm is a CloudHSM cluster with keys of profiles. sign reaches it through the VPC and a library of its maker, so that it is
// deployed as an image.
type Hsm struct {
	Addresses []string // hsmAddresses: of its HSMs
	Group     string   // hsmSecurityGroupId: of the cluster
	Anchor    string   // hsmCaCertificate: path of the certificate that the cluster was initialized with
	Client    string   // hsmClientUrl: the package with the library; default the newest one for Amazon Linux 2023 on arm64
	ClientSum string   // hsmClientSha256: of that package

	anchor string // the certificate
	wanted bool   // a profile of the settings, or the context, names a cluster
}

// hsmModule is where the image has the library.
const hsmModule = "/opt/cloudhsm/lib/libcloudhsm_pkcs11.so"

const newestClient = "https://s3.amazonaws.com/cloudhsmv2-software/CloudHsmClient/Amzn2023/cloudhsm-pkcs11-latest.amzn2023.aarch64.rpm"

const maxHsms = 28 // of a cluster

// The ports on which HSMs listen.
const firstHsmPort, lastHsmPort = 2223, 2225

// Variables that tell the image about its cluster.
const hsmAddressVariable, hsmAnchorVariable = "HSM_ADDRESSES", "HSM_CA_CERTIFICATE"

var (
	addressForm = regexp.MustCompile(`^((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(\.|$)){4}$`)
	clientForm  = regexp.MustCompile(`^https://[A-Za-z0-9.-]+/[A-Za-z0-9/._-]+\.rpm$`)
	sumForm     = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// hsm reads the options of a cluster. What one lacks is said when it is known whether a profile needs it.
func (r *optionReader) hsm() Hsm {
	return Hsm{
		Addresses: r.list("hsmAddresses", addressForm, maxHsms),
		Group:     r.text("hsmSecurityGroupId", "", groupForm),
		Anchor:    r.text("hsmCaCertificate", "", nil),
		Client:    r.text("hsmClientUrl", "", clientForm),
		ClientSum: r.text("hsmClientSha256", "", sumForm),
	}
}

// missing are the keys of the context that a cluster needs and that were not given.
func (o Options) missing() (keys []string) {
	for _, k := range []struct {
		key   string
		given bool
	}{
		{"hsmAddresses", len(o.Hsm.Addresses) > 0}, {"hsmSecurityGroupId", o.Hsm.Group != ""}, {"hsmCaCertificate", o.Hsm.Anchor != ""},
		{"hsmClientSha256", o.Hsm.ClientSum != ""}, {"vpcId (or vpc)", o.Network.wanted()},
	} {
		if !k.given {
			keys = append(keys, k.key)
		}
	}
	return keys
}

// openTokens decides whether sign is to open keys on tokens, and refuses what it could not open.
func (c *Config) openTokens() error {
	h, named := &c.Options.Hsm, c.needs().onTokens
	given := len(h.Addresses) > 0 || h.Group != "" || h.Anchor != "" || h.ClientSum != "" || h.Client != ""
	h.wanted = len(named) > 0 || given
	if !h.wanted {
		return nil
	}
	h.Client = cmp.Or(h.Client, newestClient)
	var faults []error
	if missing := c.Options.missing(); len(missing) > 0 {
		who := "the context describes a CloudHSM cluster"
		if len(named) > 0 {
			who = "profile " + strings.Join(named, ", ") + ": its key is on a PKCS#11 token (CloudHsm)"
		}
		faults = append(faults, fmt.Errorf("%s, so that sign is deployed as an image inside of the cluster's network, and the context "+
			"lacks %s; give them, or keep the key in AWS KMS (Kms) or as a PKCS#12 file (Pfx)", who, strings.Join(missing, ", ")))
	}
	for _, p := range c.Settings.Signing.Profiles {
		faults = append(faults, checkToken(p))
	}
	return errors.Join(append(faults, h.readAnchor())...)
}

// checkToken refuses a profile whose key the functions of this stack could not open.
func checkToken(p profile.Profile) error {
	if p.Certificate == nil || p.Certificate.CloudHsm == nil {
		return nil
	}
	var faults []error
	if p.Method == profile.SignerFolder {
		faults = append(faults, fmt.Errorf("profile %s: sweep looks for documents of the person whom the certificate names, and opens no "+
			"token to read it; keep the key of a SignerFolder profile in AWS KMS (Kms) or as a PKCS#12 file (Pfx)", p.Name))
	}
	if m := p.Certificate.CloudHsm.ModulePath; m != hsmModule {
		faults = append(faults, fmt.Errorf("profile %s: the image has one PKCS#11 library, and it is not at %q; set ModulePath to %s",
			p.Name, m, hsmModule))
	}
	return errors.Join(faults...)
}

// maxAnchor is what a function's environment has room for beside the rest.
const maxAnchor = 2 << 10

// readAnchor reads the certificate that the cluster shows itself by. It is public.
func (h *Hsm) readAnchor() error {
	if h.Anchor == "" {
		return nil
	}
	refused := func(why string) error {
		return fmt.Errorf("context hsmCaCertificate: %s %s; name the file customerCA.crt with which the cluster was initialized", h.Anchor, why)
	}
	f, err := os.Open(h.Anchor)
	if err != nil {
		return fmt.Errorf("context hsmCaCertificate: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 8*maxAnchor))
	if err != nil {
		return fmt.Errorf("context hsmCaCertificate: %w", err)
	}
	block, rest := pem.Decode(data)
	if block == nil || block.Type != "CERTIFICATE" || len(strings.TrimSpace(string(rest))) > 0 {
		return refused("is not one certificate in PEM")
	}
	if _, err := x509.ParseCertificate(block.Bytes); err != nil {
		return refused("has no certificate that can be read")
	}
	h.anchor = string(pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: block.Bytes}))
	if len(h.anchor) > maxAnchor {
		return refused(fmt.Sprintf("has more than %d bytes, for which a function's environment has no room", maxAnchor))
	}
	return nil
}

// tellOfTokens tells the image where the cluster is and how it is known.
func (s *service) tellOfTokens(env map[string]*string) {
	env[hsmAddressVariable] = jsii.String(strings.Join(s.options.Hsm.Addresses, " "))
	env[hsmAnchorVariable] = &s.options.Hsm.anchor
}

// reachTokens makes a security group that leads to the HSMs and nowhere else, and opens theirs to it.
func (s *service) reachTokens() awsec2.ISecurityGroup {
	client := awsec2.NewSecurityGroup(s.stack, jsii.String("TokenGroup"), &awsec2.SecurityGroupProps{
		Vpc: s.network.vpc, Description: jsii.String("HSMs of " + s.options.Stack), AllowAllOutbound: jsii.Bool(false),
	})
	cluster := awsec2.SecurityGroup_FromSecurityGroupId(s.stack, jsii.String("Cluster"), &s.options.Hsm.Group, nil)
	client.Connections().AllowTo(cluster, awsec2.Port_TcpRange(jsii.Number(firstHsmPort), jsii.Number(lastHsmPort)), jsii.String("HSMs"))
	return client
}
