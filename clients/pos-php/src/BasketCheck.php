<?php

declare(strict_types=1);

namespace LoyaltyPartner\Pos;

/**
 * What keeps a POS from charging a returned basket: a fault in its form, a broken one of the six arithmetic identities (wire decisions 1),
 * or an added line at another price than the venue's list (contract 2.7).
 */
final class BasketCheck
{
    private const MONEY_MAX = 2 ** 53 - 1;
    private const TOTAL_NAMES = ['gross', 'lineDiscount', 'orderDiscount', 'net'];

    /**
     * @param array<string, mixed>|\stdClass $sent
     * @param ?array<string, int> $prices by productId; null: not compared
     * @return list<string> empty: the basket is charged as it is
     */
    public static function problemsOf(mixed $basket, array|\stdClass $sent, ?array $prices): array
    {
        $problems = self::formProblems($basket, (array) $sent);
        if ($problems !== []) {
            return $problems;
        }
        foreach ($basket->lines as $line) {
            array_push($problems, ...self::lineProblems($line), ...self::addedProblems($line, $prices));
        }
        return [...$problems, ...self::orderDiscountProblems($basket), ...self::totalProblems($basket)];
    }

    private static function formProblems(mixed $basket, array $sent): array
    {
        if (!$basket instanceof \stdClass) {
            return ['the basket is no object'];
        }
        $problems = [];
        foreach (['calculationId', 'currency'] as $name) {
            if (($basket->$name ?? null) !== ($sent[$name] ?? null)) {
                $problems[] = "$name is another";
            }
        }
        $lines = $basket->lines ?? null;
        if (!is_array($lines) || $lines === [] || !self::isListOf($lines, self::isLine(...))) {
            return [...$problems, 'lines are not lines'];
        }
        if (!self::isListOf($basket->orderDiscounts ?? null, self::isOrderDiscount(...))) {
            $problems[] = 'orderDiscounts are not order discounts';
        }
        if (count(array_unique(array_column($lines, 'lineId'), SORT_STRING)) !== count($lines)) {
            $problems[] = 'a lineId stands twice';
        }
        if (!self::isTotals($basket->totals ?? null)) {
            $problems[] = 'totals are not totals';
        }
        return $problems;
    }

    private static function isLine(mixed $line): bool
    {
        return $line instanceof \stdClass
            && is_string($line->lineId ?? null)
            && is_string($line->productId ?? null)
            && is_bool($line->noDiscount ?? null)
            && (is_int($line->quantity ?? null) || is_float($line->quantity ?? null)) && $line->quantity > 0
            && self::isMoney($line->unitPrice ?? null)
            && (!isset($line->overrideUnitPrice) || self::isMoney($line->overrideUnitPrice))
            && self::isListOf($line->discounts ?? null, self::isDiscount(...))
            && self::isListOf($line->orderDiscountAllocations ?? null, self::isAllocation(...))
            && self::isTotals($line->totals ?? null);
    }

    private static function isMoney(mixed $value): bool
    {
        // PHP reads 4500.0 as a float; it is the same amount.
        $isWhole = is_int($value) || (is_float($value) && floor($value) === $value);
        return $isWhole && $value >= 0 && $value <= self::MONEY_MAX;
    }

    private static function isDiscount(mixed $value): bool
    {
        return $value instanceof \stdClass
            && in_array($value->type ?? null, ['amount', 'percentage'], true)
            && self::isMoney($value->amount ?? null);
    }

    private static function isOrderDiscount(mixed $value): bool
    {
        return self::isDiscount($value) && is_string($value->orderDiscountId ?? null);
    }

    private static function isAllocation(mixed $value): bool
    {
        return $value instanceof \stdClass
            && is_string($value->orderDiscountId ?? null)
            && self::isMoney($value->amount ?? null);
    }

    private static function isTotals(mixed $value): bool
    {
        if (!$value instanceof \stdClass) {
            return false;
        }
        foreach (self::TOTAL_NAMES as $name) {
            if (!self::isMoney($value->$name ?? null)) {
                return false;
            }
        }
        return true;
    }

    private static function isListOf(mixed $value, callable $isEntry): bool
    {
        return $value === null || (is_array($value) && array_filter($value, $isEntry) === $value);
    }

    /**
     * Identities 1 to 4.
     *
     * @return list<string>
     */
    private static function lineProblems(\stdClass $line): array
    {
        $totals = $line->totals;
        $gross = self::grossOf($line->quantity, (int) ($line->overrideUnitPrice ?? $line->unitPrice));
        $left = (int) $totals->gross - (int) $totals->lineDiscount - (int) $totals->orderDiscount;
        return array_keys(array_filter([
            "$line->lineId: gross is not quantity x price" => $gross !== (int) $totals->gross,
            "$line->lineId: lineDiscount is not its sum" =>
                self::sumOf($line->discounts ?? []) !== (int) $totals->lineDiscount,
            "$line->lineId: orderDiscount is not its sum" =>
                self::sumOf($line->orderDiscountAllocations ?? []) !== (int) $totals->orderDiscount,
            "$line->lineId: net is not what is left" => $left !== (int) $totals->net,
        ]));
    }

    /** `round(quantity x unitPrice)`, half up to a whole minor unit (identity 1); null: more than 3 decimals, or too large. */
    public static function grossOf(int|float $quantity, int $unitPrice): ?int
    {
        if (round($quantity, 3) !== (float) $quantity || $quantity > 1e9) {
            return null;
        }
        $thousandths = (int) round($quantity * 1000);
        // In two parts: the product in thousandths may be larger than an integer.
        $gross = $thousandths * intdiv($unitPrice, 1000) + intdiv($thousandths * ($unitPrice % 1000) + 500, 1000);
        return is_int($gross) ? $gross : null;
    }

    private static function addedProblems(\stdClass $line, ?array $prices): array
    {
        if ($prices === null || !($line->addedByLoyalty ?? false)) {
            return [];
        }
        if (!isset($prices[$line->productId])) {
            return ["$line->lineId: the venue does not sell $line->productId"];
        }
        $isSame = $prices[$line->productId] === (int) $line->unitPrice;
        return $isSame ? [] : ["$line->lineId: added at another price than the list's"];
    }

    /**
     * Identity 5.
     *
     * @return list<string>
     */
    private static function orderDiscountProblems(\stdClass $basket): array
    {
        $discounts = $basket->orderDiscounts ?? [];
        $left = array_column($discounts, 'amount', 'orderDiscountId');
        $problems = count($left) === count($discounts) ? [] : ['an orderDiscountId stands twice'];
        foreach ($basket->lines as $line) {
            foreach ($line->orderDiscountAllocations ?? [] as $allocation) {
                $name = $allocation->orderDiscountId;
                if (isset($left[$name])) {
                    $left[$name] -= $allocation->amount;
                } else {
                    $problems[] = "an allocation names $name, which is not there";
                }
            }
        }
        foreach ($left as $name => $rest) {
            if ($rest != 0) {
                $problems[] = "$name is not the sum of its allocations";
            }
        }
        return $problems;
    }

    /**
     * Identity 6.
     *
     * @return list<string>
     */
    private static function totalProblems(\stdClass $basket): array
    {
        $totals = array_column($basket->lines, 'totals');
        $isWrong = static fn (string $name): bool => array_sum(array_column($totals, $name)) != $basket->totals->$name;
        return array_map(
            static fn (string $name): string => "the basket's $name is not the sum over its lines",
            array_values(array_filter(self::TOTAL_NAMES, $isWrong)),
        );
    }

    private static function sumOf(array $entries): int
    {
        return (int) array_sum(array_column($entries, 'amount'));
    }
}
