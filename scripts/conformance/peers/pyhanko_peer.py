"""Judges PDF and CMS signatures with pyHanko. See judge/peer.go for what is read and written."""

import asyncio
import hashlib
import logging
import sys
from importlib import metadata

from asn1crypto import cms
from pyhanko.keys import load_cert_from_pemder
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import generic_cms, validate_pdf_signature
from pyhanko.sign.validation.status import StandardCMSSignatureStatus
from pyhanko_certvalidator import ValidationContext


class Invalid(Exception):
    """A signature that is not as it must be."""


def context(root):
    """Nobody is asked for revocation: there is no network, and no list that could have been fetched."""
    return ValidationContext(trust_roots=[root], allow_fetching=False, revocation_mode="soft-fail")


def check(status):
    """What is demanded of the new signature."""
    if not (status.intact and status.valid and status.trusted):
        raise Invalid(f"intact {status.intact}, valid {status.valid}, trusted {status.trusted}")


def judge_pdf(signed, original, content, signer, root):
    with open(signed, "rb") as f:
        signatures = PdfFileReader(f, strict=False).embedded_signatures
        mine = [s for s in signatures if fingerprint(s.signer_cert) == signer]
        if len(mine) != 1:
            raise Invalid(f"{len(mine)} signatures of the signer, want 1")
        status = validate_pdf_signature(mine[0], context(root))
        check(status)
        if status.coverage.name != "ENTIRE_FILE" or not status.bottom_line:
            raise Invalid(f"coverage {status.coverage.name}, bottom line {status.bottom_line}")
        earlier = sorted(verdict(s, root) for s in signatures if s is not mine[0])
    if not all(good for _, good in earlier) and earlier != before(original, root):
        raise Invalid("an earlier signature is no longer what it was")


def verdict(signature, root):
    """Whether an earlier signature is intact, and the changes after it are such as it allows."""
    status = validate_pdf_signature(signature, context(root))
    return signature.field_name, bool(status.intact and status.valid and status.docmdp_ok)


def before(original, root):
    with open(original, "rb") as f:
        return sorted(verdict(s, root) for s in PdfFileReader(f, strict=False).embedded_signatures)


def judge_cms(signed, original, content, signer, root):
    with open(signed, "rb") as f:
        data = cms.ContentInfo.load(f.read(), strict=True)["content"]
    keep(data, signer)
    if content == "-":
        status = asyncio.run(
            generic_cms.async_validate_cms_signature(
                data, status_cls=StandardCMSSignatureStatus, validation_context=context(root)
            )
        )
    else:
        with open(content, "rb") as f:
            status = asyncio.run(
                generic_cms.async_validate_detached_cms(f, data, signer_validation_context=context(root))
            )
    check(status)


def keep(data, signer):
    """Leaves the signature of one signer alone, since pyHanko takes no more."""
    mine = []
    for certificate in data["certificates"]:
        if certificate.name == "certificate" and fingerprint(certificate.chosen) == signer:
            serial = certificate.chosen.serial_number
            mine = [s for s in data["signer_infos"] if s["sid"].chosen["serial_number"].native == serial]
    if len(mine) != 1:
        raise Invalid(f"{len(mine)} signatures of the signer, want 1")
    data["signer_infos"] = cms.SignerInfos(mine)


def fingerprint(certificate):
    return hashlib.sha256(certificate.dump()).hexdigest()


def answer(form, signed, original, *rest, root):
    try:
        {"Pades": judge_pdf, "Cades": judge_cms}[form](signed, original, *rest, root)
        return "valid", ""
    except Invalid as error:
        return "invalid", str(error)
    except Exception as error:  # whatever a library raises, it has not approved
        if form == "Pades" and not reads(original, root):
            return "unable", "it does not read the original either"
        return "invalid", f"{type(error).__name__}: {error}"


def reads(original, root):
    """Whether pyHanko reads a document as it was before it was signed."""
    try:
        before(original, root)
        return True
    except Exception:
        return False


def main():
    if sys.argv[1] == "--version":
        print(metadata.version("pyHanko"))
        return
    logging.disable(logging.CRITICAL)
    root = load_cert_from_pemder(sys.argv[1])
    for line in sys.stdin:
        number, *case = line.rstrip("\n").split("\t")
        word, why = answer(*case, root=root)
        print(number, word, " ".join(why.split()), sep="\t", flush=True)


main()
