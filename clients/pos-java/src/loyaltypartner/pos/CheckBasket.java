package loyaltypartner.pos;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

public final class CheckBasket {
    private static final BigInteger MONEY_MAX = BigInteger.ONE.shiftLeft(53).subtract(BigInteger.ONE);
    private static final String[] TOTAL_NAMES = {"gross", "lineDiscount", "orderDiscount", "net"};

    private CheckBasket() {}

    /**
     * The first problem: a fault in its form, a broken one of the six arithmetic identities (wire decisions 1), or an added line at another
     * price than the venue's list (contract 2.7); null: it is charged as it is.
     *
     * @param prices by productId; null: not compared
     */
    public static String problemOf(Object value, Map<String, Object> sent, Map<String, Long> prices) {
        Map<String, Object> basket = Json.asObject(value);
        String form = basket == null ? "the basket is no object" : formProblem(basket, sent);
        if (form != null) return form;
        for (Object entry : Json.asList(basket.get("lines"))) {
            Map<String, Object> line = Json.asObject(entry);
            String problem = lineProblem(line);
            if (problem == null && Boolean.TRUE.equals(line.get("addedByLoyalty")) && prices != null) {
                problem = addedProblem(line, prices);
            }
            if (problem != null) return line.get("lineId") + ": " + problem;
        }
        String orders = orderDiscountProblem(basket);
        return orders == null ? totalProblem(basket) : orders;
    }

    private static String formProblem(Map<String, Object> basket, Map<String, Object> sent) {
        if (!Objects.equals(basket.get("calculationId"), sent.get("calculationId"))) return "calculationId is another";
        if (!Objects.equals(basket.get("currency"), sent.get("currency"))) return "currency is another";
        List<Object> lines = Json.asList(basket.get("lines"));
        if (lines == null || lines.isEmpty() || !lines.stream().allMatch(CheckBasket::isLine)) return "lines are not lines";
        if (!isListOf(basket.get("orderDiscounts"), CheckBasket::isOrderDiscount)) return "orderDiscounts are not order discounts";
        Set<Object> ids = new HashSet<>();
        for (Object line : lines) if (!ids.add(Json.asObject(line).get("lineId"))) return "a lineId stands twice";
        return isTotals(basket.get("totals")) ? null : "totals are not totals";
    }

    private static boolean isLine(Object value) {
        Map<String, Object> line = Json.asObject(value);
        return line != null
                && line.get("lineId") instanceof String
                && line.get("productId") instanceof String
                && line.get("noDiscount") instanceof Boolean
                && line.get("quantity") instanceof BigDecimal
                && ((BigDecimal) line.get("quantity")).signum() > 0
                && isMoney(line.get("unitPrice"))
                && (line.get("overrideUnitPrice") == null || isMoney(line.get("overrideUnitPrice")))
                && isListOf(line.get("discounts"), CheckBasket::isDiscount)
                && isListOf(line.get("orderDiscountAllocations"), CheckBasket::isAllocation)
                && isTotals(line.get("totals"));
    }

    private static boolean isMoney(Object value) {
        if (!(value instanceof BigDecimal)) return false;
        BigDecimal amount = (BigDecimal) value;
        return amount.signum() >= 0 && amount.stripTrailingZeros().scale() <= 0 && amount.toBigInteger().compareTo(MONEY_MAX) <= 0;
    }

    private static boolean isDiscount(Object value) {
        Map<String, Object> discount = Json.asObject(value);
        return discount != null
                && ("amount".equals(discount.get("type")) || "percentage".equals(discount.get("type")))
                && isMoney(discount.get("amount"));
    }

    private static boolean isOrderDiscount(Object value) {
        return isDiscount(value) && Json.asObject(value).get("orderDiscountId") instanceof String;
    }

    private static boolean isAllocation(Object value) {
        Map<String, Object> allocation = Json.asObject(value);
        return allocation != null && allocation.get("orderDiscountId") instanceof String && isMoney(allocation.get("amount"));
    }

    private static boolean isTotals(Object value) {
        Map<String, Object> totals = Json.asObject(value);
        if (totals == null) return false;
        for (String name : TOTAL_NAMES) if (!isMoney(totals.get(name))) return false;
        return true;
    }

    private static boolean isListOf(Object value, Predicate<Object> isEntry) {
        return value == null || (value instanceof List && Json.asList(value).stream().allMatch(isEntry));
    }

    private static String lineProblem(Map<String, Object> line) {
        Map<String, Object> totals = Json.asObject(line.get("totals"));
        Object price = line.get("overrideUnitPrice") == null ? line.get("unitPrice") : line.get("overrideUnitPrice");
        BigInteger gross = amount(totals, "gross");
        BigInteger lineDiscount = amount(totals, "lineDiscount");
        BigInteger orderDiscount = amount(totals, "orderDiscount");
        if (!gross.equals(grossOf((BigDecimal) line.get("quantity"), (BigDecimal) price))) return "gross is not quantity x price";
        if (!lineDiscount.equals(sumOf(line.get("discounts")))) return "lineDiscount is not its sum";
        if (!orderDiscount.equals(sumOf(line.get("orderDiscountAllocations")))) return "orderDiscount is not its sum";
        BigInteger left = gross.subtract(lineDiscount).subtract(orderDiscount);
        return left.equals(amount(totals, "net")) ? null : "net is not what is left";
    }

    /** `round(quantity x unitPrice)`, half up to a whole minor unit (identity 1); null: more than 3 decimals. */
    static BigInteger grossOf(BigDecimal quantity, BigDecimal unitPrice) {
        if (quantity.stripTrailingZeros().scale() > 3) return null;
        return quantity.multiply(unitPrice).setScale(0, RoundingMode.HALF_UP).toBigInteger();
    }

    private static String addedProblem(Map<String, Object> line, Map<String, Long> prices) {
        Long price = prices.get((String) line.get("productId"));
        if (price == null) return "the venue does not sell " + line.get("productId");
        return BigInteger.valueOf(price).equals(amount(line, "unitPrice")) ? null : "added at another price than the list's";
    }

    private static String orderDiscountProblem(Map<String, Object> basket) {
        Map<Object, BigInteger> left = new HashMap<>();
        for (Object entry : listIn(basket, "orderDiscounts")) {
            Map<String, Object> discount = Json.asObject(entry);
            if (left.put(discount.get("orderDiscountId"), amount(discount, "amount")) != null) return "an orderDiscountId stands twice";
        }
        for (Object line : listIn(basket, "lines")) {
            for (Object entry : listIn(Json.asObject(line), "orderDiscountAllocations")) {
                Map<String, Object> allocation = Json.asObject(entry);
                Object name = allocation.get("orderDiscountId");
                if (!left.containsKey(name)) return "an allocation names " + name + ", which is not there";
                left.put(name, left.get(name).subtract(amount(allocation, "amount")));
            }
        }
        for (Map.Entry<Object, BigInteger> each : left.entrySet()) {
            if (each.getValue().signum() != 0) return each.getKey() + " is not the sum of its allocations";
        }
        return null;
    }

    private static String totalProblem(Map<String, Object> basket) {
        for (String name : TOTAL_NAMES) {
            BigInteger sum = BigInteger.ZERO;
            for (Object line : listIn(basket, "lines")) sum = sum.add(amount(Json.asObject(Json.asObject(line).get("totals")), name));
            if (!sum.equals(amount(Json.asObject(basket.get("totals")), name))) return "the basket's " + name + " is not the sum over its lines";
        }
        return null;
    }

    private static List<Object> listIn(Map<String, Object> fields, String name) {
        List<Object> list = Json.asList(fields.get(name));
        return list == null ? Collections.emptyList() : list;
    }

    private static BigInteger sumOf(Object amounts) {
        BigInteger sum = BigInteger.ZERO;
        if (amounts != null) for (Object entry : Json.asList(amounts)) sum = sum.add(amount(Json.asObject(entry), "amount"));
        return sum;
    }

    private static BigInteger amount(Map<String, Object> fields, String name) {
        return ((BigDecimal) fields.get(name)).toBigInteger();
    }
}
