using System;

namespace LoyaltyPartner.Pos
{
    public sealed class Service
    {
        /// <summary>Base address, without a slash at its end.</summary>
        public string Url { get; }

        public string Secret { get; }

        /// <summary>Called after each attempt, for logs; what it throws is ignored.</summary>
        public Action<Exchange> OnExchange { get; }

        public Service(string url, string secret, Action<Exchange> onExchange = null)
        {
            Url = url;
            // A line feed at the end of its file is not part of it.
            Secret = secret.TrimEnd('\r', '\n');
            OnExchange = onExchange ?? (exchange => { });
        }
    }

    /// <summary>Waiting times of this POS, in milliseconds; <c>new Times()</c> has the contract's (contract 4.1 and 8).</summary>
    public sealed class Times
    {
        public int AttemptMs { get; set; } = 500;

        public int CapMs { get; set; } = 3000;

        public int SaleMs { get; set; } = 5000;

        /// <summary>Before its second attempt; doubles from there, up to <see cref="PauseMaxMs"/>.</summary>
        public int PauseMs { get; set; } = 250;

        public int PauseMaxMs { get; set; } = 5 * 60000;

        /// <summary>A sale event older than this is given up.</summary>
        public int HorizonMs { get; set; } = 24 * 3600000;
    }
}
