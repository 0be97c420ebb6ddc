using System.Collections.Generic;

namespace LoyaltyPartner.Pos
{
    public sealed class Calculated
    {
        /// <summary><c>applied</c>, <c>unchanged</c>, <c>member_not_found</c> or <c>failed</c>, as in the sale event.</summary>
        public string Status { get; }

        /// <summary>The basket that the guest pays: the original one unless <c>applied</c> (contract 3.2).</summary>
        public IDictionary<string, object> Charged { get; }

        public Exchange Exchange { get; }

        /// <summary>The reason of <c>unchanged</c>; else null.</summary>
        public string Reason { get; internal set; }

        /// <summary>The reason of <c>failed</c>, as in the sale event (contract 2.1); else null.</summary>
        public string FailureReason { get; internal set; }

        /// <summary>Details of <c>failed</c>, for logs.</summary>
        public string Detail { get; internal set; }

        internal Calculated(string status, IDictionary<string, object> charged, Exchange exchange)
        {
            Status = status;
            Charged = charged;
            Exchange = exchange;
            Detail = "";
        }
    }

    public sealed class Returned
    {
        /// <summary><c>taken</c>, <c>refused</c> (for a person, nothing was stored) or <c>later</c> (send the same return again).</summary>
        public string Kind { get; }

        public Exchange Exchange { get; }

        /// <summary>
        /// With <c>taken</c>: <c>result</c>, and unless that is <c>unknown_calculation</c>, <c>refund</c>, <c>lines</c>, <c>takenBack</c> and
        /// <c>givenBack</c>, as of <see cref="Json"/>; else null.
        /// </summary>
        public IDictionary<string, object> Answer { get; }

        private Returned(string kind, Exchange exchange, IDictionary<string, object> answer)
        {
            Kind = kind;
            Exchange = exchange;
            Answer = answer;
        }

        internal static Returned Refused(Exchange exchange)
        {
            return new Returned("refused", exchange, null);
        }

        internal static Returned From(Exchange exchange, string returnId)
        {
            if (SaleQueue.IsLater(exchange)) return new Returned("later", exchange, null);
            Dictionary<string, object> answer = exchange.Status == 200 ? Json.ObjectFrom(exchange.Body) : null;
            return IsGood(answer, returnId) ? new Returned("taken", exchange, answer) : Refused(exchange);
        }

        private static bool IsGood(Dictionary<string, object> answer, string returnId)
        {
            if (answer == null || !Equals(CheckBasket.Field(answer, "returnId"), returnId)) return false;
            var result = CheckBasket.Field(answer, "result") as string;
            if (result == "unknown_calculation") return true;
            if (result != "recorded" && result != "duplicate" && result != "quoted") return false;
            var refund = CheckBasket.Field(answer, "refund") as decimal?;
            return refund >= 0 && refund == decimal.Truncate(refund.Value);
        }
    }

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
