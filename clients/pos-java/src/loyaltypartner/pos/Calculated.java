package loyaltypartner.pos;

import java.util.Map;

public final class Calculated {
    /** `applied`, `unchanged`, `member_not_found` or `failed`, as in the sale event. */
    public final String status;
    /** The basket that the guest pays: the original one unless `applied` (contract 3.2). */
    public final Map<String, Object> charged;
    public final Exchange exchange;
    /** The reason of `unchanged`; else null. */
    public final String reason;
    /** The reason of `failed`, as in the sale event (contract 2.1); else null. */
    public final String failureReason;
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
