package loyaltypartner.pos;

/** Waiting times of this POS, in milliseconds; `new Times()` has the contract's (contract 4.1 and 8). */
public final class Times {
    public long attemptMs = 500;
    public long capMs = 3_000;
    public long saleMs = 5_000;
    /** Before its second attempt; doubles from there, up to `pauseMaxMs`. */
    public long pauseMs = 250;
    public long pauseMaxMs = 5 * 60_000;
    /** A sale event older than this is given up. */
    public long horizonMs = 24 * 3_600_000L;
}
