import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import loyaltypartner.pos.Calculated;
import loyaltypartner.pos.Json;
import loyaltypartner.pos.PosClient;
import loyaltypartner.pos.Returned;
import loyaltypartner.pos.SaleEnd;
import loyaltypartner.pos.Service;
import loyaltypartner.pos.Times;

/** Calls the Java client as the cases ask: one JSON object a line in, one out. */
public final class Drive {
    @SuppressWarnings("unchecked")
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, "UTF-8");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Map<String, Object> asked = Json.objectFrom(line.getBytes(StandardCharsets.UTF_8));
            Times times = new Times();
            times.attemptMs = ((BigDecimal) asked.get("attemptMs")).longValueExact();
            times.capMs = 6 * times.attemptMs;
            times.pauseMs = ((BigDecimal) asked.getOrDefault("pauseMs", BigDecimal.ONE)).longValueExact();
            times.pauseMaxMs = 8 * times.pauseMs;
            Service service = new Service((String) asked.get("url"), (String) asked.get("secret"));
            Map<String, Object> answer = new LinkedHashMap<>();
            try (PosClient client = new PosClient(service, Path.of((String) asked.get("folder")), times)) {
                if (asked.containsKey("returned")) {
                    Returned sent = client.recordReturn((Map<String, Object>) asked.get("returned"));
                    answer.put("end", sent.kind);
                    answer.put("result", sent.answer == null ? null : sent.answer.get("result"));
                    answer.put("refund", sent.answer == null ? null : sent.answer.get("refund"));
                } else if (asked.containsKey("basket")) {
                    Map<String, Long> prices = new HashMap<>();
                    for (Object each : (List<Object>) asked.get("prices")) {
                        Map<String, Object> product = (Map<String, Object>) each;
                        prices.put((String) product.get("productId"), ((BigDecimal) product.get("unitPrice")).longValueExact());
                    }
                    Calculated done = client.calculate((Map<String, Object>) asked.get("basket"), prices);
                    answer.put("status", done.status);
                    answer.put("reason", done.reason);
                    answer.put("failureReason", done.failureReason);
                    answer.put("charged", done.charged);
                } else {
                    CompletableFuture<SaleEnd> recording = client.record((Map<String, Object>) asked.get("sale"));
                    if (asked.containsKey("leave")) client.close();
                    SaleEnd end = recording.get();
                    answer.put("end", end.kind);
                    answer.put("attempts", end.attempts);
                    answer.put("waiting", client.waiting());
                }
            }
            out.println(new String(Json.bytesOf(answer), StandardCharsets.UTF_8));
        }
    }
}
