using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

namespace LoyaltyPartner.Pos
{
    internal sealed class JsonReader
    {
        private const int DepthMax = 200;
        /// <summary>Every number with at most this many digits is exact as a decimal.</summary>
        private const int DecimalDigits = 28;
        private static readonly Regex Number = new Regex(
            @"\G-?(?<whole>0|[1-9][0-9]*)(\.(?<part>[0-9]+))?([eE](?<exponent>[+-]?[0-9]+))?", RegexOptions.CultureInvariant);

        private readonly string text;
        private int at;
        private int depth;

        internal JsonReader(string text)
        {
            this.text = text;
        }

        internal object Whole()
        {
            object value = Value();
            Space();
            if (at < text.Length) throw new FormatException("text behind the value");
            return value;
        }

        private object Value()
        {
            Space();
            switch (Peek())
            {
                case '{':
                    return Object();
                case '[':
                    return List();
                case '"':
                    return String();
                case 't':
                    return Word("true", true);
                case 'f':
                    return Word("false", false);
                case 'n':
                    return Word("null", null);
                default:
                    return NumberValue();
            }
        }

        private Dictionary<string, object> Object()
        {
            var fields = new Dictionary<string, object>();
            Open();
            if (Closes('}')) return fields;
            do
            {
                Space();
                string name = String();
                Space();
                Take(':');
                fields[name] = Value();
            } while (Continues('}'));
            return fields;
        }

        private List<object> List()
        {
            var entries = new List<object>();
            Open();
            if (Closes(']')) return entries;
            do entries.Add(Value()); while (Continues(']'));
            return entries;
        }

        private void Open()
        {
            at++;
            if (++depth > DepthMax) throw new FormatException("nested too deeply");
        }

        private bool Closes(char end)
        {
            Space();
            if (Peek() != end) return false;
            at++;
            depth--;
            return true;
        }

        private bool Continues(char end)
        {
            if (Closes(end)) return false;
            Take(',');
            return true;
        }

        private string String()
        {
            Take('"');
            var value = new StringBuilder();
            for (;;)
            {
                char next = Next();
                if (next == '"') return value.ToString();
                if (next < ' ') throw new FormatException("a control character in a string");
                value.Append(next == '\\' ? Escaped() : next);
            }
        }

        private char Escaped()
        {
            char next = Next();
            int place = "\"\\/bfnrt".IndexOf(next);
            if (place >= 0) return "\"\\/\b\f\n\r\t"[place];
            ushort unit;
            if (next != 'u' || at + 4 > text.Length
                || !ushort.TryParse(text.Substring(at, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out unit))
            {
                throw new FormatException("an escape that JSON does not know");
            }
            at += 4;
            return (char)unit;
        }

        private object NumberValue()
        {
            Match found = Number.Match(text, at);
            if (!found.Success) throw new FormatException("no JSON");
            at += found.Length;
            int digits = found.Groups["whole"].Length + found.Groups["part"].Length;
            if (digits + PowerOf(found.Groups["exponent"].Value) > DecimalDigits) return new JsonNumber(found.Value);
            return decimal.Parse(found.Value, NumberStyles.Float, CultureInfo.InvariantCulture);
        }

        /// <summary>The digits that an exponent adds; one that is no int is beyond any decimal.</summary>
        private static long PowerOf(string exponent)
        {
            int power;
            if (exponent == "") return 0;
            return int.TryParse(exponent, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out power)
                ? Math.Abs((long)power)
                : DecimalDigits;
        }

        private object Word(string word, object value)
        {
            if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0) throw new FormatException("no JSON");
            at += word.Length;
            return value;
        }

        private void Space()
        {
            while (at < text.Length && " \t\n\r".IndexOf(text[at]) >= 0) at++;
        }

        private char Peek()
        {
            if (at == text.Length) throw new FormatException("the text ends early");
            return text[at];
        }

        private char Next()
        {
            char next = Peek();
            at++;
            return next;
        }

        private void Take(char wanted)
        {
            if (Next() != wanted) throw new FormatException("no " + wanted);
        }
    }
}
