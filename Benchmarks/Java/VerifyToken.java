// What a back end in Java does: java.security.Signature over the signed bytes, and a DOM parse of them.
//
//     java VerifyToken.java KEY.pem TOKEN.txt
//
// Each line of standard input is a number: it verifies the token that many times and prints a line. The caller measures
// the time.

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;

public class VerifyToken {
    private static final String MARKER = "<signatureInfo>";
    private static final DateTimeFormatter FORM = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss Z");
    private static final Instant NOW = Instant.ofEpochMilli(1_768_498_200_000L);

    private final PublicKey key;
    private final DocumentBuilder builder;

    private VerifyToken(String pem) throws Exception {
        String text = pem.replaceAll("-----[A-Z ]+-----|\\s", "");
        key = KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(text)));
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        builder = factory.newDocumentBuilder();
    }

    private boolean isValid(String token, String requestor, String resource) throws Exception {
        if (!token.startsWith(MARKER)) return false;
        int end = token.indexOf(MARKER, MARKER.length());
        if (end < 0) return false;
        byte[] signature = Base64.getDecoder().decode(token.substring(MARKER.length(), end));
        byte[] signed = token.substring(end + MARKER.length()).getBytes(StandardCharsets.UTF_8);
        Signature verifier = Signature.getInstance("SHA256withRSA");
        verifier.initVerify(key);
        verifier.update(signed);
        if (!verifier.verify(signature)) return false;
        Document document = builder.parse(new ByteArrayInputStream(signed));
        Instant issued = OffsetDateTime.parse(text(document, "issueTime"), FORM).toInstant();
        Instant expires = issued.plusMillis(Long.parseLong(text(document, "ttl")));
        return text(document, "requestorID").equals(requestor) && !NOW.isAfter(expires)
            && text(document, "resourceID").equals(resource) && !text(document, "mvpdId").isEmpty()
            && !text(document, "sessionGUID").isEmpty();
    }

    private static String text(Document document, String name) {
        return document.getElementsByTagName(name).item(0).getTextContent();
    }

    public static void main(String[] arguments) throws Exception {
        VerifyToken verifier = new VerifyToken(Files.readString(Path.of(arguments[0])));
        String token = Files.readString(Path.of(arguments[1]));
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in));
        for (String line = questions.readLine(); line != null; line = questions.readLine()) {
            int times = Integer.parseInt(line);
            for (int time = 0; time < times; time++) {
                if (!verifier.isValid(token, "REF30", "TestChannel")) System.exit(1);
            }
            System.out.println(times);
        }
    }
}
