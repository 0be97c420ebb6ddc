<?php

declare(strict_types=1);

namespace LoyaltyPartner\Pos;

final class SaleEnd
{
    /** @param ?Exchange $exchange the last attempt of this run; null: there was none */
    public function __construct(
        public readonly string $calculationId,
        public readonly string $kind,
        public readonly int $attempts,
        public readonly ?Exchange $exchange,
    ) {
    }
}
