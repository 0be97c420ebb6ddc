import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Reads one vector a line (secret, t, the body in base64) and prints the v1 of each, with nothing but the JDK. */
class SignVectors {
  public static void main(String[] args) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, US_ASCII));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] parts = line.split(" ", -1);
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(parts[0].getBytes(US_ASCII), "HmacSHA256"));
      mac.update((parts[1] + ".").getBytes(US_ASCII));
      StringBuilder hex = new StringBuilder();
      for (byte each : mac.doFinal(Base64.getDecoder().decode(parts[2]))) hex.append(String.format("%02x", each));
      System.out.println(hex);
    }
  }
}
