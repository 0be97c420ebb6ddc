package loyaltypartner.pos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The client of a POS backend: asks for a basket's price within the time of a card payment, falls back to the original basket
 * on anything but a good answer, and delivers the sale event, however long that takes. May be used by several threads.
 */
public final class PosClient implements AutoCloseable {
    private static final int ATTEMPTS_MAX = 2;

    private final Service service;
    private final Times times;
    private final SaleQueue queue;

    /** Opens the queue, and sends the events that an earlier run left in it. The folder must survive a restart. */
    public PosClient(Service service, Path queueFolder) throws IOException {
        this(service, queueFolder, new Times());
    }

    public PosClient(Service service, Path queueFolder, Times times) throws IOException {
        this.service = service;
        this.times = times;
        this.queue = new SaleQueue(service, queueFolder, times);
    }

    /**
     * Asks for a basket's loyalty benefits: 500 ms an attempt, one more where there was no connection, 3 s in all. Throws nothing.
     *
     * @param basket as it was before loyalty, never `charged` of an earlier call; values as of {@link Json}
     * @param prices the venue's list by productId, for the lines that the service adds; null: not compared
     */
    public Calculated calculate(Map<String, Object> basket, Map<String, Long> prices) {
        Exchange exchange;
        try {
            exchange = callWithRetry(String.valueOf(basket.get("calculationId")), Json.bytesOf(basket));
        } catch (RuntimeException error) {
            exchange = Exchange.failed("", "/v1/pos/basket", 0, "pos_error", true, String.valueOf(error));
        }
        if (exchange.failure != null) return failed(basket, exchange, exchange.failure, exchange.detail);
        if (exchange.status != 200) return failed(basket, exchange, "http_error", exchange.status + " " + errorIn(exchange.body));
        return judge(basket, exchange, prices);
    }

    /**
     * Takes the event of a finished or abandoned sale: returns once it is on disk; the future ends with the event. Throws IOException where
     * the folder cannot be written.
     */
    public CompletableFuture<SaleEnd> record(Map<String, Object> sale) throws IOException {
        return queue.add(sale);
    }

    /**
     * Asks what to refund for goods that come back, and records it unless `dryRun`: one attempt of 5 s. Throws nothing. Where it is
     * `later`, call again with the same return.
     *
     * @param returned values as of {@link Json}
     */
    public Returned recordReturn(Map<String, Object> returned) {
        try {
            String returnId = String.valueOf(returned.get("returnId"));
            byte[] body = Json.bytesOf(returned);
            return Returned.from(SignedPost.send(service, "/v1/pos/return", returnId, body, times.saleMs), returnId);
        } catch (RuntimeException error) {
            return Returned.refused(Exchange.failed("", "/v1/pos/return", 0, "pos_error", true, String.valueOf(error)));
        }
    }

    public int waiting() {
        return queue.depth();
    }

    @Override
    public void close() {
        queue.close();
    }

    private Exchange callWithRetry(String calculationId, byte[] body) {
        long startedNs = System.nanoTime();
        Exchange exchange = null;
        for (int attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
            long leftMs = times.capMs - (System.nanoTime() - startedNs) / 1_000_000;
            if (exchange != null && leftMs <= 0) return exchange;
            exchange = SignedPost.send(service, "/v1/pos/basket", calculationId, body, Math.max(1, Math.min(times.attemptMs, leftMs)));
            if (!exchange.unsent) return exchange;
        }
        return exchange;
    }

    private static Calculated judge(Map<String, Object> basket, Exchange exchange, Map<String, Long> prices) {
        Map<String, Object> answer = Json.objectFrom(exchange.body);
        if (answer == null) return failed(basket, exchange, "invalid_response", "the answer is no JSON object");
        if (!String.valueOf(basket.get("calculationId")).equals(answer.get("calculationId"))) {
            return failed(basket, exchange, "invalid_response", "the answer is for another calculation");
        }
        Object status = answer.get("status");
        Object reason = answer.get("reason");
        if ("member_not_found".equals(status)) return new Calculated("member_not_found", basket, exchange, null, null, "");
        if ("unchanged".equals(status) && reason instanceof String) {
            return new Calculated("unchanged", basket, exchange, (String) reason, null, "");
        }
        if ("unchanged".equals(status)) return failed(basket, exchange, "invalid_response", "unchanged without a reason");
        if (!"applied".equals(status)) return failed(basket, exchange, "invalid_response", "a status the contract does not know");
        String problem = CheckBasket.problemOf(answer.get("basket"), basket, prices);
        if (problem != null) return failed(basket, exchange, "invalid_response", problem);
        return new Calculated("applied", Json.asObject(answer.get("basket")), exchange, null, null, "");
    }

    private static Calculated failed(Map<String, Object> basket, Exchange exchange, String failureReason, String detail) {
        return new Calculated("failed", basket, exchange, null, failureReason, detail);
    }

    private static String errorIn(byte[] body) {
        Map<String, Object> answer = Json.objectFrom(body);
        Map<String, Object> error = answer == null ? null : Json.asObject(answer.get("error"));
        if (error != null && error.get("code") != null) return error.get("code") + ": " + error.get("message");
        return new String(body, 0, Math.min(80, body.length), StandardCharsets.UTF_8);
    }
}
