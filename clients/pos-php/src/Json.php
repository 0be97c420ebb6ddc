<?php

declare(strict_types=1);

namespace LoyaltyPartner\Pos;

/** JSON as the contract has it. */
final class Json
{
    private const DEPTH_MAX = 64;

    /** In UTF-8, numbers with the fewest digits that name them. Throws \JsonException where the value has no JSON. */
    public static function write(mixed $value): string
    {
        // Other settings write 0.355 as 0.35499999999999998, which has too many decimals.
        $precision = ini_set('serialize_precision', '-1');
        try {
            $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES;
            return json_encode($value, $flags, self::DEPTH_MAX);
        } finally {
            if ($precision !== false) {
                ini_set('serialize_precision', $precision);
            }
        }
    }

    /** The object of a JSON text; null: it is none. Objects are \stdClass, so that an empty one stays an object. */
    public static function readObject(string $text): ?\stdClass
    {
        $value = json_decode($text, false, self::DEPTH_MAX);
        return $value instanceof \stdClass ? $value : null;
    }
}
