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
}
