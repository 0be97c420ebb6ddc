package loyaltypartner.pos;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

final class SignedPost {
    /** Many times the largest basket with its discounts: no answer of the service is larger. */
    private static final int ANSWER_BYTES_MAX = 8 * 1024 * 1024;

    private final Service service;
    private final String path;
    private final String idempotencyKey;
    private final byte[] body;
    private final String requestId = UUID.randomUUID().toString();
    private final long startedNs = System.nanoTime();
    private volatile HttpURLConnection connection;
    private volatile boolean isConnected;

    private SignedPost(Service service, String path, String idempotencyKey, byte[] body) {
        this.service = service;
        this.path = path;
        this.idempotencyKey = idempotencyKey;
        this.body = body;
    }

    /** Sends it once, within a time. Throws nothing. */
    static Exchange send(Service service, String path, String idempotencyKey, byte[] body, long timeoutMs) {
        SignedPost post = new SignedPost(service, path, idempotencyKey, body);
        Exchange exchange = post.within(timeoutMs);
        try {
            service.onExchange.accept(exchange);
        } catch (RuntimeException error) {
            // A log that fails is no reason to fail a sale.
        }
        return exchange;
    }

    // A look-up of a name cannot be interrupted, and a socket's timeout counts from byte to byte: the whole attempt has a thread.
    private Exchange within(long timeoutMs) {
        CompletableFuture<Exchange> answer = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                answer.complete(answer((int) timeoutMs));
            } catch (Throwable error) {
                answer.completeExceptionally(error);
            } finally {
                if (connection != null) connection.disconnect();
            }
        }, "loyalty-call");
        thread.setDaemon(true);
        thread.start();
        try {
            return answer.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (TimeoutException error) {
            // In its own thread: it may wait for a reader of the connection.
            Thread ending = new Thread(() -> {
                if (connection != null) connection.disconnect();
            });
            ending.setDaemon(true);
            ending.start();
            return failed("timeout", false, "no answer in time");
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            return failed("pos_error", false, "interrupted");
        } catch (ExecutionException error) {
            Throwable cause = error.getCause();
            if (cause instanceof SocketTimeoutException) return failed("timeout", false, "no answer in time");
            return failed("connection_error", !isConnected, String.valueOf(cause));
        }
    }

    private Exchange answer(int timeoutMs) throws IOException {
        connection = (HttpURLConnection) new URL(service.url + path).openConnection();
        connection.setConnectTimeout(timeoutMs);
        connection.setReadTimeout(timeoutMs);
        // A signed request is only for the service itself.
        connection.setInstanceFollowRedirects(false);
        connection.setRequestMethod("POST");
        connection.setDoOutput(true);
        // With a fixed length Java sends a request once: otherwise it repeats one whose connection broke.
        connection.setFixedLengthStreamingMode(body.length);
        connection.setRequestProperty("Connection", "close");
        connection.setRequestProperty("Content-Type", "application/json");
        connection.setRequestProperty("Idempotency-Key", idempotencyKey);
        connection.setRequestProperty("POS-Signature", Signature.of(body, service.secret, System.currentTimeMillis() / 1000));
        connection.setRequestProperty("X-Request-Id", requestId);
        connection.connect();
        isConnected = true;
        try (OutputStream out = connection.getOutputStream()) {
            out.write(body);
        }
        int status = connection.getResponseCode();
        if (status < 0) throw new IOException("the answer is not HTTP");
        byte[] bytes = read(status < 400 ? connection.getInputStream() : connection.getErrorStream());
        return Exchange.answered(requestId, path, elapsedMs(), status, bytes, secondsIn(connection.getHeaderField("Retry-After")));
    }

    private byte[] read(InputStream answer) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        if (answer == null) return new byte[0];
        byte[] part = new byte[16_384];
        try (InputStream in = answer) {
            for (int count = in.read(part); count >= 0; count = in.read(part)) {
                bytes.write(part, 0, count);
                if (bytes.size() > ANSWER_BYTES_MAX) throw new IOException("the answer is too large");
            }
        }
        if (bytes.size() < connection.getContentLengthLong()) throw new EOFException("the answer ends early");
        return bytes.toByteArray();
    }

    private Exchange failed(String failure, boolean unsent, String detail) {
        return Exchange.failed(requestId, path, elapsedMs(), failure, unsent, detail);
    }

    private long elapsedMs() {
        return (System.nanoTime() - startedNs) / 1_000_000;
    }

    private static long secondsIn(String text) {
        return text != null && text.matches("[0-9]{1,9}") ? Long.parseLong(text) : 0;
    }
}
