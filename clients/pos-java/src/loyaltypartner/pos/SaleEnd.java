package loyaltypartner.pos;

public final class SaleEnd {
    public final String calculationId;
    /** `taken`, `refused`, `expired` (given up), or `left` by a queue that was closed: the next one sends it. */
    public final String kind;
    public final int attempts;
    public final Exchange exchange;

    SaleEnd(String calculationId, String kind, int attempts, Exchange exchange) {
        this.calculationId = calculationId;
        this.kind = kind;
        this.attempts = attempts;
        this.exchange = exchange;
    }
}
