using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace LoyaltyPartner.Pos
{
    /// <summary>
    /// JSON as plain values: Dictionary, List, string, decimal, bool and null; a number that a decimal cannot hold exactly is a
    /// <see cref="JsonNumber"/>. .NET Standard 2.0 has no reader of its own, and a POS gets no dependency from this client.
    /// </summary>
    public static class Json
    {
        private static readonly UTF8Encoding Strict = new UTF8Encoding(false, true);

        /// <summary>The object of a JSON text in UTF-8; null: it is none.</summary>
        public static Dictionary<string, object> ObjectFrom(byte[] bytes)
        {
            try
            {
                return new JsonReader(Strict.GetString(bytes)).Whole() as Dictionary<string, object>;
            }
            catch (FormatException)
            {
                return null;
            }
            catch (DecoderFallbackException)
            {
                return null;
            }
        }

        /// <summary>JSON in UTF-8. Throws ArgumentException on a value of another kind.</summary>
        public static byte[] BytesOf(object value)
        {
            var text = new StringBuilder();
            Write(value, text);
            return Encoding.UTF8.GetBytes(text.ToString());
        }

        private static void Write(object value, StringBuilder text)
        {
            if (value == null) text.Append("null");
            else if (value is bool) text.Append((bool)value ? "true" : "false");
            else if (value is string) WriteString((string)value, text);
            else if (value is int || value is long || value is decimal)
                text.Append(((IFormattable)value).ToString(null, CultureInfo.InvariantCulture));
            else if (value is JsonNumber) text.Append(((JsonNumber)value).Text);
            else if (value is IDictionary<string, object>) WriteObject((IDictionary<string, object>)value, text);
            else if (value is IEnumerable && !(value is IDictionary)) WriteList((IEnumerable)value, text);
            else throw new ArgumentException(value.GetType() + " has no JSON here: give dictionaries, lists, string, long, decimal");
        }

        private static void WriteObject(IDictionary<string, object> fields, StringBuilder text)
        {
            string separator = "";
            text.Append('{');
            foreach (KeyValuePair<string, object> field in fields)
            {
                text.Append(separator);
                WriteString(field.Key, text);
                text.Append(':');
                Write(field.Value, text);
                separator = ",";
            }
            text.Append('}');
        }

        private static void WriteList(IEnumerable entries, StringBuilder text)
        {
            string separator = "";
            text.Append('[');
            foreach (object entry in entries)
            {
                text.Append(separator);
                Write(entry, text);
                separator = ",";
            }
            text.Append(']');
        }

        private static void WriteString(string value, StringBuilder text)
        {
            text.Append('"');
            foreach (char unit in value)
            {
                if (unit == '"' || unit == '\\') text.Append('\\').Append(unit);
                else if (unit < ' ') text.Append("\\u").Append(((int)unit).ToString("x4"));
                else text.Append(unit);
            }
            text.Append('"');
        }
    }

    /// <summary>A number with more digits than a decimal holds: only fields of the POS's own have such.</summary>
    public sealed class JsonNumber
    {
        /// <summary>As it was written.</summary>
        public string Text { get; }

        internal JsonNumber(string text)
        {
            Text = text;
        }
    }
}
