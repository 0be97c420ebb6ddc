namespace LoyaltyPartner.Pos
{
    public sealed class SaleEnd
    {
        public string CalculationId { get; }

        /// <summary><c>taken</c>, <c>refused</c>, <c>expired</c> (given up), or <c>left</c> by a queue that was closed: the next one sends it.</summary>
        public string Kind { get; }

        public int Attempts { get; }

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
