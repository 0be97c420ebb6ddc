<?php

declare(strict_types=1);

namespace LoyaltyPartner\Pos;

/** Times for sending sale events (contract 4.1: exponential backoff, for up to 24 hours). */
final class SalePatience
{
    /**
     * @param int $timeoutMs for one attempt
     * @param int $pauseMs before the second attempt; doubles from there, up to `pauseMaxMs`
     * @param int $horizonS an event older than this is given up
     */
    public function __construct(
        public readonly int $timeoutMs = 5_000,
        public readonly int $pauseMs = 250,
        public readonly int $pauseMaxMs = 300_000,
        public readonly int $horizonS = 86_400,
    ) {
    }
}
