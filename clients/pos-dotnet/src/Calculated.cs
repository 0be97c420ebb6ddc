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
}
