import eu.europa.esig.dss.cades.validation.CMSDocumentValidator;
import eu.europa.esig.dss.diagnostic.CertificateWrapper;
import eu.europa.esig.dss.diagnostic.DiagnosticData;
import eu.europa.esig.dss.diagnostic.SignatureWrapper;
import eu.europa.esig.dss.enumerations.DigestAlgorithm;
import eu.europa.esig.dss.model.DSSDocument;
import eu.europa.esig.dss.model.FileDocument;
import eu.europa.esig.dss.pades.validation.PDFDocumentValidator;
import eu.europa.esig.dss.spi.DSSUtils;
import eu.europa.esig.dss.spi.validation.CommonCertificateVerifier;
import eu.europa.esig.dss.spi.x509.CommonTrustedCertificateSource;
import eu.europa.esig.dss.validation.SignedDocumentValidator;
import eu.europa.esig.dss.xades.validation.XMLDocumentValidator;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Judges PDF, CMS and XML signatures with the Digital Signature Service library of the European Union. See
 * judge/peer.go for what is read and written.
 *
 * <p>Nobody is asked for revocation. The library's own verdict knows European policies alone and calls everything
 * else indeterminate, so that its findings are read one by one: digest, signature value, the certificate that the
 * signature itself names, the chain, and that a policy is named.
 */
public class DssPeer {
    /** A signature that is not as it must be. */
    private static class Invalid extends Exception {
        Invalid(String why) {
            super(why);
        }
    }

    private final CommonTrustedCertificateSource anchors = new CommonTrustedCertificateSource();

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("--version")) {
            String jar = new File(DSSUtils.class.getProtectionDomain().getCodeSource().getLocation().toURI()).getName();
            System.out.println(jar.replaceAll("^dss-spi-|\\.jar$", ""));
            return;
        }
        DssPeer peer = new DssPeer();
        peer.anchors.addCertificate(DSSUtils.loadCertificate(new File(arguments[0])));
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] c = line.split("\t");
            System.out.println(c[0] + "\t" + peer.answer(c));
        }
    }

    private String answer(String[] c) {
        try {
            judge(c[1], c[2], c[3], c[4], c[5]);
            return "valid";
        } catch (Exception | LinkageError e) { // whatever the library throws, it has not approved
            return "invalid\t" + String.valueOf(e).replaceAll("\\s+", " ");
        }
    }

    private void judge(String format, String signed, String original, String content, String signer) throws Exception {
        DiagnosticData found = validate(format, signed, content);
        List<SignatureWrapper> mine = found.getSignatures().stream().filter(s -> isOf(s, signer)).collect(Collectors.toList());
        if (mine.size() != 1) {
            throw new Invalid(mine.size() + " signatures of the signer, want 1");
        }
        check(mine.get(0));
        long broken = broken(found);
        if (broken > 0 && broken != broken(validate(format, original, "-"))) {
            throw new Invalid(broken + " earlier signatures are not intact");
        }
    }

    private DiagnosticData validate(String format, String file, String content) {
        DSSDocument document = new FileDocument(file);
        SignedDocumentValidator validator;
        switch (format) {
            case "Pades":
                validator = new PDFDocumentValidator(document);
                break;
            case "Cades":
                validator = new CMSDocumentValidator(document);
                break;
            default:
                validator = new XMLDocumentValidator(document);
        }
        if (!content.equals("-")) {
            validator.setDetachedContents(List.of(new FileDocument(content)));
        }
        CommonCertificateVerifier offline = new CommonCertificateVerifier();
        offline.setTrustedCertSources(anchors);
        offline.setAIASource(null);
        validator.setCertificateVerifier(offline);
        return validator.validateDocument().getDiagnosticData();
    }

    private static boolean isOf(SignatureWrapper s, String signer) {
        CertificateWrapper c = s.getSigningCertificate();
        return c != null && c.getDigestAlgoAndValue() != null
                && c.getDigestAlgoAndValue().getDigestMethod() == DigestAlgorithm.SHA256
                && hex(c.getDigestAlgoAndValue().getDigestValue()).equals(signer);
    }

    private static String hex(byte[] bytes) {
        StringBuilder out = new StringBuilder();
        for (byte b : bytes) {
            out.append(String.format("%02x", b));
        }
        return out.toString();
    }

    private static void check(SignatureWrapper s) throws Invalid {
        demand(s.isSignatureIntact(), "it is not intact");
        demand(s.isSignatureValid(), "its value is wrong");
        demand(s.isBLevelTechnicallyValid(), "it is not of level B");
        demand(s.isStructuralValidationValid(), "its structure is wrong: " + s.getStructuralValidationMessages());
        demand(s.isSigningCertificateIdentified(), "it does not name its certificate");
        demand(s.isSigningCertificateReferencePresent() && s.isSigningCertificateReferenceUnique(), "it does not name one certificate");
        demand(s.getSigningCertificateReference() != null && s.getSigningCertificateReference().isDigestValueMatch(),
                "the digest of its certificate is another one");
        demand(s.getSigningCertificate().isTrustedChain(), "its chain leads to no anchor");
        demand(s.getPolicyId() != null && s.getPolicyId().startsWith("2.16.76.1.7.1."), "its policy is " + s.getPolicyId());
    }

    private static void demand(boolean met, String otherwise) throws Invalid {
        if (!met) {
            throw new Invalid(otherwise);
        }
    }

    private static long broken(DiagnosticData found) {
        return found.getSignatures().stream().filter(s -> !s.isSignatureIntact() || !s.isSignatureValid()).count();
    }
}
