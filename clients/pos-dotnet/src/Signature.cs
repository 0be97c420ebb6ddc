using System.Security.Cryptography;
using System.Text;

namespace LoyaltyPartner.Pos
{
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
}
