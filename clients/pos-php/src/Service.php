<?php

declare(strict_types=1);

namespace LoyaltyPartner\Pos;

final class Service
{
    /** The text of the secret. A line feed at the end of its file is not part of it. */
    public readonly string $secret;

    /**
     * @param string $url base address, without a slash at its end
     * @param ?string $caFile certificates of an authority of your own; null: the system's
     * @param ?\Closure(Exchange): void $onExchange called after each attempt, for logs; what it throws is ignored
     */
    public function __construct(
        public readonly string $url,
        string $secret,
        public readonly ?string $caFile = null,
        public readonly ?\Closure $onExchange = null,
    ) {
        $this->secret = rtrim($secret, "\r\n");
    }
}
