import java.io.File;
import java.security.cert.X509Certificate;
import javax.xml.crypto.AlgorithmMethod;
import javax.xml.crypto.KeySelector;
import javax.xml.crypto.KeySelectorResult;
import javax.xml.crypto.XMLCryptoContext;
import javax.xml.crypto.dsig.Reference;
import javax.xml.crypto.dsig.XMLSignature;
import javax.xml.crypto.dsig.XMLSignatureFactory;
import javax.xml.crypto.dsig.dom.DOMValidateContext;
import javax.xml.crypto.dsig.keyinfo.KeyInfo;
import javax.xml.crypto.dsig.keyinfo.X509Data;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Verifies all signatures of XML documents with the XML Signature API of the Java platform, with the first certificate
 * that comes with each. It looks at no chain and no policy. Identifiers are attributes named Id, ID or id.
 */
public class Judge {
    public static void main(String[] files) throws Exception {
        boolean good = true;
        for (String file : files) {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setNamespaceAware(true);
            Document document = factory.newDocumentBuilder().parse(new File(file));
            NodeList signatures = document.getElementsByTagNameNS(XMLSignature.XMLNS, "Signature");
            good &= signatures.getLength() > 0;
            for (int i = 0; i < signatures.getLength(); i++) {
                good &= judge(file, document, (Element) signatures.item(i));
            }
        }
        System.exit(good ? 0 : 1);
    }

    private static boolean judge(String file, Document document, Element element) throws Exception {
        DOMValidateContext context = new DOMValidateContext(new FirstCertificate(), element);
        NodeList all = document.getElementsByTagNameNS("*", "*");
        for (int i = 0; i < all.getLength(); i++) {
            for (String name : new String[] {"Id", "ID", "id"}) {
                if (((Element) all.item(i)).hasAttribute(name)) {
                    context.setIdAttributeNS((Element) all.item(i), null, name);
                }
            }
        }
        XMLSignature signature = XMLSignatureFactory.getInstance("DOM").unmarshalXMLSignature(context);
        boolean valid = signature.validate(context);
        System.out.println(file + " " + element.getAttribute("Id") + ": " + (valid ? "valid" : "INVALID"));
        if (!valid) {
            System.out.println("  value: " + signature.getSignatureValue().validate(context));
            for (Object r : signature.getSignedInfo().getReferences()) {
                System.out.println("  " + ((Reference) r).getURI() + ": " + ((Reference) r).validate(context));
            }
        }
        return valid;
    }

    /** Takes the key out of the first certificate. */
    private static class FirstCertificate extends KeySelector {
        public KeySelectorResult select(KeyInfo info, Purpose purpose, AlgorithmMethod method, XMLCryptoContext context) {
            for (Object data : info.getContent()) {
                if (!(data instanceof X509Data)) {
                    continue;
                }
                for (Object x : ((X509Data) data).getContent()) {
                    if (x instanceof X509Certificate) {
                        return ((X509Certificate) x)::getPublicKey;
                    }
                }
            }
            return null;
        }
    }
}
