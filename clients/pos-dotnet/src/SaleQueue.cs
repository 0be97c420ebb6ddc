using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace LoyaltyPartner.Pos
{
    /// <summary>Sale events on their way: one file each, so that a POS that stops or crashes sends the rest when it runs again.</summary>
    internal sealed class SaleQueue
    {
        /// <summary>The longest pause that an answer may ask for: a proxy's Retry-After of days would outlast the horizon.</summary>
        private const long AskedSMax = 3600;
        /// <summary>Keeps a doubled pause within a long.</summary>
        private const int DoublingsMax = 30;

        private sealed class Event
        {
            internal string CalculationId;
            internal string File;
            internal byte[] Body;
            internal DateTime Since;
            internal int Attempts;
            internal long DueMs;
            internal Exchange Exchange;
            internal readonly TaskCompletionSource<SaleEnd> End =
                new TaskCompletionSource<SaleEnd>(TaskCreationOptions.RunContinuationsAsynchronously);

            internal SaleEnd Ended(string kind)
            {
                return new SaleEnd(CalculationId, kind, Attempts, Exchange);
            }
        }

        private readonly Service service;
        private readonly string folder;
        private readonly Times times;
        private readonly Stopwatch watch = Stopwatch.StartNew();
        /// <summary>Guards `events` and `isClosed`, and is pulsed when one of them changes.</summary>
        private readonly object gate = new object();
        private readonly Dictionary<string, Event> events = new Dictionary<string, Event>();
        private bool isClosed;
        private readonly Thread thread;

        internal SaleQueue(Service service, string folder, Times times)
        {
            this.service = service;
            this.folder = Directory.CreateDirectory(folder).FullName;
            this.times = times;
            foreach (string part in Directory.GetFiles(folder, "*.part")) File.Delete(part);
            foreach (string file in Directory.GetFiles(this.folder, "*.json"))
            {
                // Windows also finds longer endings.
                if (!file.EndsWith(".json", StringComparison.Ordinal)) continue;
                string id = Path.GetFileNameWithoutExtension(file);
                events.Add(id, EventIn(id, file, File.ReadAllBytes(file), File.GetLastWriteTimeUtc(file)));
            }
            thread = new Thread(Run) { IsBackground = true, Name = "loyalty-sales" };
            thread.Start();
        }

        internal int Depth
        {
            get
            {
                lock (gate) return events.Count;
            }
        }

        /// <summary>An event that is on its way already is not added twice.</summary>
        internal Task<SaleEnd> Add(IDictionary<string, object> sale)
        {
            lock (gate)
            {
                if (isClosed) throw new IOException("the queue is closed");
                string id = Convert.ToString(CheckBasket.Field(sale, "calculationId"));
                Event known;
                if (events.TryGetValue(id, out known)) return known.End.Task;
                string file = Path.Combine(folder, id + ".json");
                byte[] body = Json.BytesOf(sale);
                WriteWhole(file, body);
                Event added = EventIn(id, file, body, DateTime.UtcNow);
                events.Add(id, added);
                Monitor.PulseAll(gate);
                return added.End.Task;
            }
        }

        internal void Close()
        {
            lock (gate)
            {
                isClosed = true;
                Monitor.PulseAll(gate);
            }
            thread.Join();
            lock (gate)
            {
                foreach (Event left in events.Values) left.End.TrySetResult(left.Ended("left"));
                events.Clear();
            }
        }

        private Event EventIn(string id, string file, byte[] body, DateTime since)
        {
            return new Event { CalculationId = id, File = file, Body = body, Since = since, DueMs = watch.ElapsedMilliseconds };
        }

        private void Run()
        {
            for (Event next = NextDue(); next != null; next = NextDue()) Attempt(next);
        }

        private Event NextDue()
        {
            lock (gate)
            {
                while (!isClosed)
                {
                    Event next = events.Values.OrderBy(each => each.DueMs).FirstOrDefault();
                    long pauseMs = next == null ? Timeout.Infinite : next.DueMs - watch.ElapsedMilliseconds;
                    if (next != null && pauseMs <= 0) return next;
                    Monitor.Wait(gate, (int)pauseMs);
                }
                return null;
            }
        }

        private void Attempt(Event sale)
        {
            if ((DateTime.UtcNow - sale.Since).TotalMilliseconds > times.HorizonMs)
            {
                End(sale, "expired");
                return;
            }
            Exchange exchange = SignedPost.Send(service, "/v1/pos/sale", sale.CalculationId, sale.Body, times.SaleMs);
            sale.Exchange = exchange;
            sale.Attempts++;
            if (!IsLater(exchange))
            {
                End(sale, IsTaken(exchange, sale.CalculationId) ? "taken" : "refused");
                return;
            }
            long backoffMs = Math.Min(times.PauseMaxMs, (long)times.PauseMs << Math.Min(sale.Attempts - 1, DoublingsMax));
            long askedMs = Math.Min(exchange.RetryAfterS, AskedSMax) * 1000;
            lock (gate) sale.DueMs = watch.ElapsedMilliseconds + Math.Max(askedMs, backoffMs);
        }

        /// <summary>Deletes the file of a delivered sale, and renames one that is given up, for people to look at.</summary>
        private void End(Event sale, string kind)
        {
            try
            {
                if (kind == "taken") File.Delete(sale.File);
                else File.Move(sale.File, sale.File + "." + kind);
            }
            catch (Exception error) when (error is IOException || error is UnauthorizedAccessException)
            {
                // It is sent again when the POS next runs, and gets the first answer again.
            }
            lock (gate) events.Remove(sale.CalculationId);
            sale.End.TrySetResult(sale.Ended(kind));
        }

        internal static bool IsLater(Exchange exchange)
        {
            if (exchange.Status == 0 || exchange.Status == 429 || exchange.Status >= 500) return true;
            return exchange.Status < 400 && Json.ObjectFrom(exchange.Body) == null;
        }

        private static bool IsTaken(Exchange exchange, string calculationId)
        {
            Dictionary<string, object> answer = exchange.Status == 200 ? Json.ObjectFrom(exchange.Body) : null;
            if (answer == null || !Equals(CheckBasket.Field(answer, "calculationId"), calculationId)) return false;
            var result = CheckBasket.Field(answer, "result") as string;
            return result == "recorded" || result == "duplicate" || result == "unknown_calculation";
        }

        /// <summary>Writes a file completely or not at all.</summary>
        private static void WriteWhole(string file, byte[] body)
        {
            string part = file + ".part";
            using (var stream = new FileStream(part, FileMode.Create, FileAccess.Write, FileShare.None))
            {
                stream.Write(body, 0, body.Length);
                stream.Flush(true);
            }
            // The file of an event that ended while it could not be moved.
            if (File.Exists(file)) File.Replace(part, file, null);
            else File.Move(part, file);
        }
    }
}
