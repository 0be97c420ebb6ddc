using System;
using System.Collections.Generic;
using System.Linq;

namespace LoyaltyPartner.Pos
{
    public static class CheckBasket
    {
        private const decimal MoneyMax = 9007199254740991m;
        private const decimal QuantityMax = 100000m;
        private static readonly string[] TotalNames = { "gross", "lineDiscount", "orderDiscount", "net" };

        /// <summary>
        /// The first problem: a fault in its form, a broken one of the six arithmetic identities (wire decisions 1), or an added line
        /// at another price than the venue's list (contract 2.7); null: it is charged as it is.
        /// </summary>
        /// <param name="value">a value as of <see cref="Json"/></param>
        /// <param name="prices">by productId; null: not compared</param>
        public static string ProblemOf(object value, IDictionary<string, object> sent, IDictionary<string, long> prices)
        {
            var basket = value as IDictionary<string, object>;
            string form = basket == null ? "the basket is no object" : FormProblem(basket, sent);
            if (form != null) return form;
            foreach (IDictionary<string, object> line in Entries(basket, "lines"))
            {
                string problem = LineProblem(line);
                if (problem == null && true.Equals(Field(line, "addedByLoyalty")) && prices != null) problem = AddedProblem(line, prices);
                if (problem != null) return Field(line, "lineId") + ": " + problem;
            }
            return OrderDiscountProblem(basket) ?? TotalProblem(basket);
        }

        internal static object Field(IDictionary<string, object> fields, string name)
        {
            object value;
            return fields.TryGetValue(name, out value) ? value : null;
        }

        private static string FormProblem(IDictionary<string, object> basket, IDictionary<string, object> sent)
        {
            if (!Equals(Field(basket, "calculationId"), Field(sent, "calculationId"))) return "calculationId is another";
            if (!Equals(Field(basket, "currency"), Field(sent, "currency"))) return "currency is another";
            var lines = Field(basket, "lines") as List<object>;
            if (lines == null || lines.Count == 0 || !lines.All(IsLine)) return "lines are not lines";
            if (!IsListOf(Field(basket, "orderDiscounts"), IsOrderDiscount)) return "orderDiscounts are not order discounts";
            var ids = new HashSet<object>();
            foreach (IDictionary<string, object> line in Entries(basket, "lines"))
            {
                if (!ids.Add(Field(line, "lineId"))) return "a lineId stands twice";
            }
            return IsTotals(Field(basket, "totals")) ? null : "totals are not totals";
        }

        private static bool IsLine(object value)
        {
            var line = value as IDictionary<string, object>;
            return line != null
                && Field(line, "lineId") is string
                && Field(line, "productId") is string
                && Field(line, "noDiscount") is bool
                && IsQuantity(Field(line, "quantity"))
                && IsMoney(Field(line, "unitPrice"))
                && (Field(line, "overrideUnitPrice") == null || IsMoney(Field(line, "overrideUnitPrice")))
                && IsListOf(Field(line, "discounts"), IsDiscount)
                && IsListOf(Field(line, "orderDiscountAllocations"), IsAllocation)
                && IsTotals(Field(line, "totals"));
        }

        private static bool IsQuantity(object value)
        {
            return value is decimal && (decimal)value > 0 && (decimal)value <= QuantityMax;
        }

        private static bool IsMoney(object value)
        {
            if (!(value is decimal)) return false;
            decimal amount = (decimal)value;
            return amount >= 0 && amount <= MoneyMax && amount % 1 == 0;
        }

        private static bool IsDiscount(object value)
        {
            var discount = value as IDictionary<string, object>;
            if (discount == null || !IsMoney(Field(discount, "amount"))) return false;
            return Equals(Field(discount, "type"), "amount") || Equals(Field(discount, "type"), "percentage");
        }

        private static bool IsOrderDiscount(object value)
        {
            return IsDiscount(value) && Field((IDictionary<string, object>)value, "orderDiscountId") is string;
        }

        private static bool IsAllocation(object value)
        {
            var allocation = value as IDictionary<string, object>;
            return allocation != null && Field(allocation, "orderDiscountId") is string && IsMoney(Field(allocation, "amount"));
        }

        private static bool IsTotals(object value)
        {
            var totals = value as IDictionary<string, object>;
            return totals != null && TotalNames.All(name => IsMoney(Field(totals, name)));
        }

        private static bool IsListOf(object value, Func<object, bool> isEntry)
        {
            return value == null || (value is List<object> && ((List<object>)value).All(isEntry));
        }

        private static string LineProblem(IDictionary<string, object> line)
        {
            var totals = (IDictionary<string, object>)Field(line, "totals");
            decimal price = (decimal)(Field(line, "overrideUnitPrice") ?? Field(line, "unitPrice"));
            decimal gross = Amount(totals, "gross");
            decimal lineDiscount = Amount(totals, "lineDiscount");
            decimal orderDiscount = Amount(totals, "orderDiscount");
            if (GrossOf((decimal)Field(line, "quantity"), price) != gross) return "gross is not quantity x price";
            if (Entries(line, "discounts").Sum(AmountOf) != lineDiscount) return "lineDiscount is not its sum";
            if (Entries(line, "orderDiscountAllocations").Sum(AmountOf) != orderDiscount) return "orderDiscount is not its sum";
            return gross - lineDiscount - orderDiscount == Amount(totals, "net") ? null : "net is not what is left";
        }

        /// <summary>Quantity x price, half up to a whole minor unit (identity 1); null: more than 3 decimals.</summary>
        private static decimal? GrossOf(decimal quantity, decimal unitPrice)
        {
            if (quantity % 0.001m != 0) return null;
            return Math.Round(quantity * unitPrice, 0, MidpointRounding.AwayFromZero);
        }

        private static string AddedProblem(IDictionary<string, object> line, IDictionary<string, long> prices)
        {
            long price;
            if (!prices.TryGetValue((string)Field(line, "productId"), out price)) return "the venue does not sell " + Field(line, "productId");
            return price == Amount(line, "unitPrice") ? null : "added at another price than the list's";
        }

        private static string OrderDiscountProblem(IDictionary<string, object> basket)
        {
            var left = new Dictionary<object, decimal>();
            foreach (IDictionary<string, object> discount in Entries(basket, "orderDiscounts"))
            {
                if (left.ContainsKey(Field(discount, "orderDiscountId"))) return "an orderDiscountId stands twice";
                left.Add(Field(discount, "orderDiscountId"), AmountOf(discount));
            }
            foreach (IDictionary<string, object> allocation in Entries(basket, "lines").SelectMany(line => Entries(line, "orderDiscountAllocations")))
            {
                object name = Field(allocation, "orderDiscountId");
                if (!left.ContainsKey(name)) return "an allocation names " + name + ", which is not there";
                left[name] -= AmountOf(allocation);
            }
            return left.Where(each => each.Value != 0).Select(each => each.Key + " is not the sum of its allocations").FirstOrDefault();
        }

        private static string TotalProblem(IDictionary<string, object> basket)
        {
            var totals = (IDictionary<string, object>)Field(basket, "totals");
            foreach (string name in TotalNames)
            {
                decimal sum = Entries(basket, "lines").Sum(line => Amount((IDictionary<string, object>)Field(line, "totals"), name));
                if (sum != Amount(totals, name)) return "the basket's " + name + " is not the sum over its lines";
            }
            return null;
        }

        private static IEnumerable<IDictionary<string, object>> Entries(IDictionary<string, object> fields, string name)
        {
            var list = Field(fields, name) as List<object>;
            return list == null ? Enumerable.Empty<IDictionary<string, object>>() : list.Cast<IDictionary<string, object>>();
        }

        private static decimal AmountOf(IDictionary<string, object> discount)
        {
            return Amount(discount, "amount");
        }

        private static decimal Amount(IDictionary<string, object> fields, string name)
        {
            return (decimal)fields[name];
        }
    }
}
