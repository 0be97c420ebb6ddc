namespace LoyaltyPartner.Pos
{
    /// <summary>The end of a sale event.</summary>
    public sealed class SaleEnd
    {
        public string CalculationId { get; }

        /// <summary><c>taken</c>, <c>refused</c>, <c>expired</c> (given up), or <c>left</c> by a queue that was closed: the next one sends it.</summary>
        public string Kind { get; }

        public int Attempts { get; }

        /// <summary>The last attempt; null before the first.</summary>
        public Exchange Exchange { get; }

        internal SaleEnd(string calculationId, string kind, int attempts, Exchange exchange)
        {
            CalculationId = calculationId;
            Kind = kind;
            Attempts = attempts;
            Exchange = exchange;
        }
    }
}
