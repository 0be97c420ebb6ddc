<?php

declare(strict_types=1);

namespace LoyaltyPartner\Pos;

/** One attempt: either an answer (`status` is set), or `failure`, as the sale event names it (contract 2.1). */
final class Exchange
{
    /**
     * @param ?string $failure `timeout` or `connection_error`; `pos_error` where nothing could be sent
     * @param bool $unsent true when there was no connection, so that nothing was sent
     */
    public function __construct(
        public readonly string $requestId,
        public readonly string $path,
        public readonly float $durationMs,
        public readonly ?int $status = null,
        public readonly string $body = '',
        public readonly ?int $retryAfterS = null,
        public readonly ?string $failure = null,
        public readonly bool $unsent = false,
        public readonly string $detail = '',
    ) {
    }
}
