<?php

declare(strict_types=1);

namespace LoyaltyPartner\Pos;

/** Times this POS gives a basket call, in milliseconds; the defaults are the contract's (contract 8). */
final class CallTimes
{
    /**
     * @param int $attemptMs for one attempt
     * @param int $capMs for all of them together
     */
    public function __construct(public readonly int $attemptMs = 500, public readonly int $capMs = 3_000)
    {
    }
}
