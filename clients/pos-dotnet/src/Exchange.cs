namespace LoyaltyPartner.Pos
{
    /// <summary>One attempt: an answer, or the reason why there was none.</summary>
    public sealed class Exchange
    {
        public string RequestId { get; private set; }

        public string Path { get; private set; }

        public long DurationMs { get; private set; }

        /// <summary>HTTP status; 0: no answer.</summary>
        public int Status { get; private set; }

        public byte[] Body { get; private set; }

        /// <summary>Retry-After in seconds; 0: not in the answer.</summary>
        public long RetryAfterS { get; private set; }

        /// <summary><c>timeout</c>, <c>connection_error</c> or <c>pos_error</c>, as in the sale event; null: there is an answer.</summary>
        public string Failure { get; private set; }

        /// <summary>True when there was no connection, so that nothing was sent.</summary>
        public bool Unsent { get; private set; }

        public string Detail { get; private set; }

        private Exchange(string requestId, string path, long durationMs)
        {
            RequestId = requestId;
            Path = path;
            DurationMs = durationMs;
            Body = new byte[0];
            Detail = "";
        }

        internal static Exchange Answered(string requestId, string path, long durationMs, int status, byte[] body, long retryAfterS)
        {
            return new Exchange(requestId, path, durationMs) { Status = status, Body = body, RetryAfterS = retryAfterS };
        }

        internal static Exchange Failed(string requestId, string path, long durationMs, string failure, bool unsent, string detail)
        {
            return new Exchange(requestId, path, durationMs) { Failure = failure, Unsent = unsent, Detail = detail };
        }
    }
}
