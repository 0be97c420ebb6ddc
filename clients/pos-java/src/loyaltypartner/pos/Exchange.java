package loyaltypartner.pos;

/** One attempt: an answer, or the reason why there was none. */
public final class Exchange {
    public final String requestId;
    public final String path;
    public final long durationMs;
    /** HTTP status; 0: no answer. */
    public final int status;
    public final byte[] body;
    /** Retry-After in seconds; 0: not in the answer. */
    public final long retryAfterS;
    /** `timeout`, `connection_error` or `pos_error`, as in the sale event; null: there is an answer. */
    public final String failure;
    /** True when there was no connection, so that nothing was sent. */
    public final boolean unsent;
    /** For logs. */
    public final String detail;

    private Exchange(String requestId, String path, long durationMs, int status, byte[] body, long retryAfterS,
            String failure, boolean unsent, String detail) {
        this.requestId = requestId;
        this.path = path;
        this.durationMs = durationMs;
        this.status = status;
        this.body = body;
        this.retryAfterS = retryAfterS;
        this.failure = failure;
        this.unsent = unsent;
        this.detail = detail;
    }

    static Exchange answered(String requestId, String path, long durationMs, int status, byte[] body, long retryAfterS) {
        return new Exchange(requestId, path, durationMs, status, body, retryAfterS, null, false, "");
    }

    static Exchange failed(String requestId, String path, long durationMs, String failure, boolean unsent, String detail) {
        return new Exchange(requestId, path, durationMs, 0, new byte[0], 0, failure, unsent, detail);
    }
}
