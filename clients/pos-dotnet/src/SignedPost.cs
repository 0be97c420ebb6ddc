using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace LoyaltyPartner.Pos
{
    internal sealed class SignedPost
    {
        /// <summary>Many times the largest basket with its discounts: no answer of the service is larger.</summary>
        private const int AnswerBytesMax = 8 * 1024 * 1024;
        /// <summary>Calls at the same time; .NET Framework's own limit is 2.</summary>
        private const int ConnectionsMax = 64;

        private static readonly DateTime Epoch = new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc);
        private static readonly HttpClient Client = CreateClient();

        /// <summary>Errors before a connection: nothing was sent.</summary>
        private static readonly HashSet<SocketError> UnsentErrors = new HashSet<SocketError>
        {
            SocketError.ConnectionRefused, SocketError.HostNotFound, SocketError.HostUnreachable, SocketError.NetworkUnreachable,
            SocketError.NetworkDown, SocketError.NoData, SocketError.TryAgain,
        };

        private readonly string requestId = Guid.NewGuid().ToString();
        private readonly Stopwatch watch = Stopwatch.StartNew();
        private readonly Service service;
        private readonly string path;

        private SignedPost(Service service, string path)
        {
            this.service = service;
            this.path = path;
        }

        /// <summary>Sends it once, within a time. Throws nothing.</summary>
        internal static Exchange Send(Service service, string path, string idempotencyKey, byte[] body, int timeoutMs)
        {
            var post = new SignedPost(service, path);
            Exchange exchange;
            try
            {
                exchange = post.Within(timeoutMs, idempotencyKey, body);
            }
            catch (Exception error)
            {
                exchange = post.Failed("pos_error", true, error.ToString());
            }
            try
            {
                service.OnExchange(exchange);
            }
            catch (Exception)
            {
                // A log that fails is no reason to fail a sale.
            }
            return exchange;
        }

        // Looking up a name, and reading a body, do not end for a token on every runtime: the attempt runs on its own and is waited for.
        private Exchange Within(int timeoutMs, string idempotencyKey, byte[] body)
        {
            var ending = new CancellationTokenSource(timeoutMs);
            HttpRequestMessage request = Request(idempotencyKey, body);
            Task<Exchange> answer = Task.Run(() => Answer(request, ending.Token));
            answer.ContinueWith(task => task.Exception, TaskContinuationOptions.OnlyOnFaulted);
            answer.ContinueWith(task => ending.Dispose());
            try
            {
                if (answer.Wait(timeoutMs)) return answer.Result;
            }
            catch (AggregateException error)
            {
                List<Exception> causes = CausesOf(error.InnerException).ToList();
                if (causes[0] is OperationCanceledException) return Failed("timeout", false, "no answer in time");
                return Failed("connection_error", causes.Any(IsUnsent), string.Join(": ", causes.Select(cause => cause.Message)));
            }
            return Failed("timeout", false, "no answer in time");
        }

        private HttpRequestMessage Request(string idempotencyKey, byte[] body)
        {
            long seconds = (long)(DateTime.UtcNow - Epoch).TotalSeconds;
            var request = new HttpRequestMessage(HttpMethod.Post, service.Url + path) { Content = new ByteArrayContent(body) };
            request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
            request.Headers.Add("Idempotency-Key", idempotencyKey);
            request.Headers.Add("POS-Signature", Signature.Of(body, service.Secret, seconds));
            request.Headers.Add("X-Request-Id", requestId);
            // A connection that was used before may be closed already: some runtimes would send the request twice.
            request.Headers.ConnectionClose = true;
            request.Headers.ExpectContinue = false;
            return request;
        }

        private async Task<Exchange> Answer(HttpRequestMessage request, CancellationToken end)
        {
            using (request)
            using (HttpResponseMessage response = await Client.SendAsync(request, end).ConfigureAwait(false))
            {
                byte[] bytes = await response.Content.ReadAsByteArrayAsync().ConfigureAwait(false);
                if (bytes.Length < response.Content.Headers.ContentLength) throw new HttpRequestException("the answer ends early");
                return Exchange.Answered(requestId, path, watch.ElapsedMilliseconds, (int)response.StatusCode, bytes, SecondsIn(response));
            }
        }

        private Exchange Failed(string failure, bool unsent, string detail)
        {
            return Exchange.Failed(requestId, path, watch.ElapsedMilliseconds, failure, unsent, detail);
        }

        private static IEnumerable<Exception> CausesOf(Exception error)
        {
            for (Exception cause = error; cause != null; cause = cause.InnerException) yield return cause;
        }

        private static bool IsUnsent(Exception cause)
        {
            var socket = cause as SocketException;
            if (socket != null) return UnsentErrors.Contains(socket.SocketErrorCode);
            var web = cause as WebException;
            return web != null && web.Status == WebExceptionStatus.NameResolutionFailure;
        }

        private static long SecondsIn(HttpResponseMessage response)
        {
            IEnumerable<string> values;
            int seconds;
            if (!response.Headers.TryGetValues("Retry-After", out values)) return 0;
            return int.TryParse(values.First(), out seconds) && seconds > 0 ? seconds : 0;
        }

        private static HttpClient CreateClient()
        {
            // A signed request is only for the service itself: redirects are not followed.
            var handler = new HttpClientHandler { AllowAutoRedirect = false, UseCookies = false, MaxConnectionsPerServer = ConnectionsMax };
            return new HttpClient(handler) { MaxResponseContentBufferSize = AnswerBytesMax, Timeout = Timeout.InfiniteTimeSpan };
        }
    }

    /// <summary>The POS-Signature of a body (contract 5).</summary>
    public static class Signature
    {
        /// <summary>
        /// HMAC-SHA256 over the moment, a full stop and the bytes that are sent. The key is the secret's text in UTF-8, even where it
        /// looks like hexadecimal digits.
        /// </summary>
        /// <param name="seconds">since the epoch</param>
        public static string Of(byte[] body, string secret, long seconds)
        {
            byte[] moment = Encoding.ASCII.GetBytes(seconds + ".");
            byte[] signed = new byte[moment.Length + body.Length];
            moment.CopyTo(signed, 0);
            body.CopyTo(signed, moment.Length);
            var hex = new StringBuilder();
            using (var hmac = new HMACSHA256(Encoding.UTF8.GetBytes(secret)))
            {
                foreach (byte each in hmac.ComputeHash(signed)) hex.Append(each.ToString("x2"));
            }
            return "t=" + seconds + ",v1=" + hex;
        }
    }

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
