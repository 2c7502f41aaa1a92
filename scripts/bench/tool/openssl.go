package tool

import "bulksigner/scripts/bench/identity"

// OpenSSL signs content with openssl, which puts it into the message. With -stream it is said not to hold the content.
func OpenSSL(id identity.Identity, in, out string, more ...string) Command {
	return append(Command{
		"openssl", "cms", "-sign", "-cades", "-binary", "-nodetach", "-md", "sha256", "-outform", "DER",
		"-signer", id.File(identity.CertificateFile), "-inkey", id.File(identity.KeyFile), "-certfile", id.File(identity.ChainFile),
		"-in", in, "-out", out,
	}, more...)
}

// SHA256Sum reads a file and does with it what a signer cannot do without.
func SHA256Sum(in string) Command { return Command{"sha256sum", in} }

// OpenSSLDigest does the same, with the processor's instructions for it.
func OpenSSLDigest(in string) Command { return Command{"openssl", "dgst", "-sha256", in} }

// Copy copies a file, as whoever keeps the original cannot do without.
func Copy(in, out string) Command { return Command{"cp", in, out} }
