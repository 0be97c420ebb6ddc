package loyaltypartner.pos;

import java.math.BigDecimal;
import java.util.Map;

public final class Returned {
    /** `taken`, `refused` (for a person, nothing was stored) or `later` (send the same return again). */
    public final String kind;
    public final Exchange exchange;
    /**
     * With `taken`: `result`, and unless that is `unknown_calculation`, `refund`, `lines`, `takenBack` and `givenBack`, as of {@link Json};
     * else null.
     */
    public final Map<String, Object> answer;

    private Returned(String kind, Exchange exchange, Map<String, Object> answer) {
        this.kind = kind;
        this.exchange = exchange;
        this.answer = answer;
    }

    static Returned refused(Exchange exchange) {
        return new Returned("refused", exchange, null);
    }

    static Returned from(Exchange exchange, String returnId) {
        if (SaleQueue.isLater(exchange)) return new Returned("later", exchange, null);
        Map<String, Object> answer = exchange.status == 200 ? Json.objectFrom(exchange.body) : null;
        return isGood(answer, returnId) ? new Returned("taken", exchange, answer) : refused(exchange);
    }

    private static boolean isGood(Map<String, Object> answer, String returnId) {
        if (answer == null || !returnId.equals(answer.get("returnId"))) return false;
        Object result = answer.get("result");
        if ("unknown_calculation".equals(result)) return true;
        if (!"recorded".equals(result) && !"duplicate".equals(result) && !"quoted".equals(result)) return false;
        Object refund = answer.get("refund");
        if (!(refund instanceof BigDecimal)) return false;
        BigDecimal amount = (BigDecimal) refund;
        return amount.signum() >= 0 && amount.stripTrailingZeros().scale() <= 0;
    }
}
