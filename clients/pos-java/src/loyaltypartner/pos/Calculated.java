package loyaltypartner.pos;

import java.util.Map;

/** What became of the loyalty step. */
public final class Calculated {
    /** `applied`, `unchanged`, `member_not_found` or `failed`, as the sale event says it. */
    public final String status;
    /** What the guest pays: the basket as it was unless `applied` (contract 3.2). */
    public final Map<String, Object> charged;
    /** The last attempt. */
    public final Exchange exchange;
    /** Of `unchanged`; else null. */
    public final String reason;
    /** Of `failed`, as the sale event says it (contract 2.1); else null. */
    public final String failureReason;
    /** Of `failed`: for logs. */
    public final String detail;

    Calculated(String status, Map<String, Object> charged, Exchange exchange, String reason, String failureReason, String detail) {
        this.status = status;
        this.charged = charged;
        this.exchange = exchange;
        this.reason = reason;
        this.failureReason = failureReason;
        this.detail = detail;
    }
}
