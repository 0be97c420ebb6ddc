using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using LoyaltyPartner.Pos;

/// <summary>Calls the C# client as the cases ask: one JSON object a line in, one out.</summary>
public static class Drive
{
    public static void Main()
    {
        var input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
        var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { AutoFlush = true, NewLine = "\n" };
        for (string line = input.ReadLine(); line != null; line = input.ReadLine())
        {
            Dictionary<string, object> asked = Json.ObjectFrom(Encoding.UTF8.GetBytes(line));
            int attemptMs = (int)(decimal)asked["attemptMs"];
            int pauseMs = asked.ContainsKey("pauseMs") ? (int)(decimal)asked["pauseMs"] : 1;
            var times = new Times { AttemptMs = attemptMs, CapMs = 6 * attemptMs, PauseMs = pauseMs, PauseMaxMs = 8 * pauseMs };
            var service = new Service((string)asked["url"], (string)asked["secret"]);
            using (var client = new PosClient(service, (string)asked["folder"], times))
            {
                Dictionary<string, object> answer = asked.ContainsKey("returned")
                    ? ReturnedBy(client, asked)
                    : asked.ContainsKey("basket") ? Calculated(client, asked) : Recorded(client, asked);
                output.WriteLine(Encoding.UTF8.GetString(Json.BytesOf(answer)));
            }
        }
    }

    private static Dictionary<string, object> Calculated(PosClient client, Dictionary<string, object> asked)
    {
        Dictionary<string, long> prices = ((List<object>)asked["prices"])
            .Cast<Dictionary<string, object>>()
            .ToDictionary(product => (string)product["productId"], product => (long)(decimal)product["unitPrice"]);
        Calculated done = client.Calculate((Dictionary<string, object>)asked["basket"], prices);
        return new Dictionary<string, object>
        {
            { "status", done.Status },
            { "reason", done.Reason },
            { "failureReason", done.FailureReason },
            { "charged", done.Charged },
        };
    }

    private static Dictionary<string, object> ReturnedBy(PosClient client, Dictionary<string, object> asked)
    {
        Returned sent = client.RecordReturn((Dictionary<string, object>)asked["returned"]);
        Func<string, object> of = name => sent.Answer != null && sent.Answer.ContainsKey(name) ? sent.Answer[name] : null;
        return new Dictionary<string, object> { { "end", sent.Kind }, { "result", of("result") }, { "refund", of("refund") } };
    }

    private static Dictionary<string, object> Recorded(PosClient client, Dictionary<string, object> asked)
    {
        Task<SaleEnd> recording = client.Record((Dictionary<string, object>)asked["sale"]);
        if (asked.ContainsKey("leave")) client.Dispose();
        SaleEnd end = recording.Result;
        return new Dictionary<string, object> { { "end", end.Kind }, { "attempts", end.Attempts }, { "waiting", client.Waiting } };
    }
}
