<?php

declare(strict_types=1);

namespace LoyaltyPartner\Pos;

final class Returned
{
    /**
     * @param string $kind `taken`, `refused` (for a person, nothing was stored) or `later` (send the same return again)
     * @param ?\stdClass $answer of `taken`: `result`, and unless that is `unknown_calculation`, `refund`, `lines`, `takenBack`, `givenBack`
     */
    public function __construct(
        public readonly string $kind,
        public readonly Exchange $exchange,
        public readonly ?\stdClass $answer = null,
    ) {
    }

    /** Whether an answer to this return has the contract's form. */
    public static function isGood(?\stdClass $answer, string $returnId): bool
    {
        $result = $answer->result ?? null;
        $refund = $answer->refund ?? null;
        $isRefund = in_array($result, ['recorded', 'duplicate', 'quoted'], true) && is_int($refund) && $refund >= 0;
        return ($answer->returnId ?? null) === $returnId && ($isRefund || $result === 'unknown_calculation');
    }
}
