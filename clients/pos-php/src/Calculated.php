<?php

declare(strict_types=1);

namespace LoyaltyPartner\Pos;

final class Calculated
{
    /**
     * @param string $status `applied`, `unchanged`, `member_not_found` or `failed`, as in the sale event
     * @param array<string, mixed>|\stdClass $charged the given basket, or a returned one, whose objects are \stdClass
     * @param ?string $reason the reason of `unchanged`
     * @param ?string $failureReason the reason of `failed`, as in the sale event (contract 2.1)
     * @param string $detail details of `failed`, for logs
     */
    public function __construct(
        public readonly string $status,
        public readonly array|\stdClass $charged,
        public readonly Exchange $exchange,
        public readonly ?string $reason = null,
        public readonly ?string $failureReason = null,
        public readonly string $detail = '',
    ) {
    }
}
