package loyaltypartner.pos;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The POS-Signature of a body (contract 5). */
public final class Signature {
    private Signature() {}

    /**
     * HMAC-SHA256 over the moment, a full stop and the bytes that are sent. The key is the secret's text in UTF-8, even where it looks like
     * hexadecimal digits.
     *
     * @param seconds since the epoch
     */
    public static String of(byte[] body, String secret, long seconds) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((seconds + ".").getBytes(StandardCharsets.US_ASCII));
            StringBuilder hex = new StringBuilder();
            for (byte each : mac.doFinal(body)) hex.append(String.format("%02x", each));
            return "t=" + seconds + ",v1=" + hex;
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException("every JDK has HmacSHA256", error);
        }
    }
}
