using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Text;
using System.Threading.Tasks;

namespace LoyaltyPartner.Pos
{
    /// <summary>
    /// The client of a POS backend: asks for a basket's price within the time of a card payment, falls back to the original basket
    /// on anything but a good answer, and delivers the sale event, however long that takes. May be used by several threads.
    /// </summary>
    public sealed class PosClient : IDisposable
    {
        private const int AttemptsMax = 2;
        private const int DetailMax = 80;

        private readonly Service service;
        private readonly Times times;
        private readonly SaleQueue queue;

        /// <summary>
        /// Opens the queue, and sends the events that an earlier run left in it. The folder must survive a restart. Throws IOException where it
        /// cannot be made or read.
        /// </summary>
        /// <param name="times">null: the contract's</param>
        public PosClient(Service service, string queueFolder, Times times = null)
        {
            this.service = service;
            this.times = times ?? new Times();
            queue = new SaleQueue(service, queueFolder, this.times);
        }

        /// <summary>Asks for a basket's loyalty benefits: 500 ms an attempt, one more where there was no connection, 3 s in all. Throws nothing.</summary>
        /// <param name="basket">as it was before loyalty, never Charged of an earlier call; values as of <see cref="Json"/></param>
        /// <param name="prices">the venue's list by productId, for the lines that the service adds; null: not compared</param>
        public Calculated Calculate(IDictionary<string, object> basket, IDictionary<string, long> prices = null)
        {
            Exchange exchange = null;
            try
            {
                exchange = CallWithRetry(Convert.ToString(CheckBasket.Field(basket, "calculationId")), Json.BytesOf(basket));
                return Judge(basket, exchange, prices);
            }
            catch (Exception error)
            {
                exchange = exchange ?? Exchange.Failed("", "/v1/pos/basket", 0, "pos_error", true, error.Message);
                return Failed(basket, exchange, "pos_error", error.Message);
            }
        }

        /// <summary>
        /// Takes the event of a finished or abandoned sale: returns once it is on disk; the task ends with the event. Throws IOException where
        /// the folder cannot be written.
        /// </summary>
        public Task<SaleEnd> Record(IDictionary<string, object> sale)
        {
            return queue.Add(sale);
        }

        /// <summary>
        /// Asks what to refund for goods that come back, and records it unless <c>dryRun</c>: one attempt of 5 s. Throws nothing. Where it is
        /// <c>later</c>, call again with the same return.
        /// </summary>
        /// <param name="returned">values as of <see cref="Json"/></param>
        public Returned RecordReturn(IDictionary<string, object> returned)
        {
            const string path = "/v1/pos/return";
            try
            {
                string returnId = Convert.ToString(CheckBasket.Field(returned, "returnId"));
                return Returned.From(SignedPost.Send(service, path, returnId, Json.BytesOf(returned), times.SaleMs), returnId);
            }
            catch (Exception error)
            {
                return Returned.Refused(Exchange.Failed("", path, 0, "pos_error", true, error.Message));
            }
        }

        /// <summary>Sale events that still have to be delivered.</summary>
        public int Waiting
        {
            get { return queue.Depth; }
        }

        public void Dispose()
        {
            queue.Close();
        }

        private Exchange CallWithRetry(string calculationId, byte[] body)
        {
            Stopwatch watch = Stopwatch.StartNew();
            Exchange exchange = null;
            for (int attempt = 1; attempt <= AttemptsMax; attempt++)
            {
                int leftMs = times.CapMs - (int)watch.ElapsedMilliseconds;
                if (exchange != null && leftMs <= 0) return exchange;
                int timeoutMs = Math.Max(1, Math.Min(times.AttemptMs, leftMs));
                exchange = SignedPost.Send(service, "/v1/pos/basket", calculationId, body, timeoutMs);
                if (exchange.Failure != "connection_error" || !exchange.Unsent) return exchange;
            }
            return exchange;
        }

        private static Calculated Judge(IDictionary<string, object> basket, Exchange exchange, IDictionary<string, long> prices)
        {
            if (exchange.Failure != null) return Failed(basket, exchange, exchange.Failure, exchange.Detail);
            if (exchange.Status != 200) return Failed(basket, exchange, "http_error", exchange.Status + " " + ErrorIn(exchange.Body));
            Dictionary<string, object> answer = Json.ObjectFrom(exchange.Body);
            if (answer == null) return Invalid(basket, exchange, "the answer is no JSON object");
            if (!Equals(CheckBasket.Field(answer, "calculationId"), CheckBasket.Field(basket, "calculationId")))
            {
                return Invalid(basket, exchange, "the answer is for another calculation");
            }
            switch (CheckBasket.Field(answer, "status") as string)
            {
                case "member_not_found":
                    return new Calculated("member_not_found", basket, exchange);
                case "unchanged":
                    var reason = CheckBasket.Field(answer, "reason") as string;
                    if (reason == null) return Invalid(basket, exchange, "unchanged without a reason");
                    return new Calculated("unchanged", basket, exchange) { Reason = reason };
                case "applied":
                    object changed = CheckBasket.Field(answer, "basket");
                    string problem = CheckBasket.ProblemOf(changed, basket, prices);
                    if (problem != null) return Invalid(basket, exchange, problem);
                    return new Calculated("applied", (IDictionary<string, object>)changed, exchange);
                default:
                    return Invalid(basket, exchange, "a status the contract does not know");
            }
        }

        private static Calculated Invalid(IDictionary<string, object> basket, Exchange exchange, string detail)
        {
            return Failed(basket, exchange, "invalid_response", detail);
        }

        private static Calculated Failed(IDictionary<string, object> basket, Exchange exchange, string failureReason, string detail)
        {
            return new Calculated("failed", basket, exchange) { FailureReason = failureReason, Detail = detail };
        }

        private static string ErrorIn(byte[] body)
        {
            Dictionary<string, object> answer = Json.ObjectFrom(body);
            var error = answer == null ? null : CheckBasket.Field(answer, "error") as IDictionary<string, object>;
            if (error != null) return CheckBasket.Field(error, "code") + ": " + CheckBasket.Field(error, "message");
            return Encoding.UTF8.GetString(body, 0, Math.Min(DetailMax, body.Length));
        }
    }
}
