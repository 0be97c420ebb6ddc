package loyaltypartner.pos;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Sale events on their way: one file each, so that a POS that stops or crashes sends the rest when it runs again. */
final class SaleQueue {
    /** The longest pause that an answer may ask for: a proxy's Retry-After of days would outlast the horizon. */
    private static final long ASKED_S_MAX = 3_600;

    private static final class Event {
        final String calculationId;
        final Path file;
        final byte[] body;
        final long sinceMs;
        final CompletableFuture<SaleEnd> end = new CompletableFuture<>();
        int attempts;
        long dueNs = System.nanoTime();
        Exchange exchange;

        Event(String calculationId, Path file, byte[] body, long sinceMs) {
            this.calculationId = calculationId;
            this.file = file;
            this.body = body;
            this.sinceMs = sinceMs;
        }

        SaleEnd ended(String kind) {
            return new SaleEnd(calculationId, kind, attempts, exchange);
        }
    }

    private final Service service;
    private final Path folder;
    private final Times times;
    private final Map<String, Event> events = new HashMap<>();
    private boolean isClosed;
    private final Thread thread = new Thread(this::run, "loyalty-sales");

    SaleQueue(Service service, Path folder, Times times) throws IOException {
        this.service = service;
        this.folder = Files.createDirectories(folder);
        this.times = times;
        List<Path> files = new ArrayList<>();
        try (java.util.stream.Stream<Path> found = Files.list(folder)) {
            found.forEach(files::add);
        }
        for (Path file : files) {
            String name = file.getFileName().toString();
            if (name.endsWith(".part")) Files.delete(file);
            if (!name.endsWith(".json")) continue;
            String id = name.substring(0, name.length() - ".json".length());
            events.put(id, new Event(id, file, Files.readAllBytes(file), Files.getLastModifiedTime(file).toMillis()));
        }
        thread.setDaemon(true);
        thread.start();
    }

    synchronized int depth() {
        return events.size();
    }

    /** An event that is on its way already is not added twice. */
    synchronized CompletableFuture<SaleEnd> add(Map<String, Object> sale) throws IOException {
        if (isClosed) throw new IOException("the queue is closed");
        String id = String.valueOf(sale.get("calculationId"));
        Event known = events.get(id);
        if (known != null) return known.end;
        Path file = folder.resolve(id + ".json");
        byte[] body = Json.bytesOf(sale);
        writeWhole(file, body);
        Event event = new Event(id, file, body, System.currentTimeMillis());
        events.put(id, event);
        notifyAll();
        return event.end;
    }

    void close() {
        synchronized (this) {
            isClosed = true;
            notifyAll();
        }
        try {
            thread.join();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            for (Event event : events.values()) event.end.complete(event.ended("left"));
            events.clear();
        }
    }

    private void run() {
        try {
            for (Event event = nextDue(); event != null; event = nextDue()) attempt(event);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized Event nextDue() throws InterruptedException {
        while (!isClosed) {
            Event next = null;
            for (Event event : events.values()) if (next == null || event.dueNs - next.dueNs < 0) next = event;
            long pauseNs = next == null ? 0 : next.dueNs - System.nanoTime();
            if (next != null && pauseNs <= 0) return next;
            // 0 would wait without end.
            wait(next == null ? 0 : pauseNs / 1_000_000 + 1);
        }
        return null;
    }

    private void attempt(Event event) {
        if (System.currentTimeMillis() - event.sinceMs > times.horizonMs) {
            end(event, "expired");
            return;
        }
        Exchange exchange = SignedPost.send(service, "/v1/pos/sale", event.calculationId, event.body, times.saleMs);
        event.exchange = exchange;
        event.attempts++;
        if (!isLater(exchange)) {
            end(event, isTaken(exchange, event.calculationId) ? "taken" : "refused");
            return;
        }
        long backoffMs = Math.min(times.pauseMaxMs, times.pauseMs << Math.min(event.attempts - 1, 30));
        long askedMs = Math.min(exchange.retryAfterS, ASKED_S_MAX) * 1_000;
        synchronized (this) {
            event.dueNs = System.nanoTime() + Math.max(askedMs, backoffMs) * 1_000_000;
        }
    }

    /** Deletes the file of a delivered sale, and renames one that is given up, for people to look at. */
    private void end(Event event, String kind) {
        try {
            if (kind.equals("taken")) Files.delete(event.file);
            else Files.move(event.file, event.file.resolveSibling(event.file.getFileName() + "." + kind));
        } catch (IOException error) {
            // It is sent again when the POS next runs, and gets the first answer again.
        }
        synchronized (this) {
            events.remove(event.calculationId);
        }
        event.end.complete(event.ended(kind));
    }

    /** True when the service has not answered: no answer, 429, 5xx, a redirect, or a proxy's page. */
    static boolean isLater(Exchange exchange) {
        if (exchange.status == 0 || exchange.status == 429 || exchange.status >= 500) return true;
        return exchange.status < 400 && Json.objectFrom(exchange.body) == null;
    }

    private static boolean isTaken(Exchange exchange, String calculationId) {
        Map<String, Object> answer = exchange.status == 200 ? Json.objectFrom(exchange.body) : null;
        if (answer == null || !calculationId.equals(answer.get("calculationId"))) return false;
        Object result = answer.get("result");
        return "recorded".equals(result) || "duplicate".equals(result) || "unknown_calculation".equals(result);
    }

    /** Writes a file completely or not at all, also across a power loss. */
    private void writeWhole(Path file, byte[] body) throws IOException {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        try (FileChannel out = FileChannel.open(
                part, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            for (ByteBuffer left = ByteBuffer.wrap(body); left.hasRemaining(); ) out.write(left);
            out.force(true);
        }
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        // Windows opens no folders, and needs no more than the move.
        try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
            directory.force(true);
        } catch (IOException error) {
            if (!System.getProperty("os.name").startsWith("Windows")) throw error;
        }
    }
}
