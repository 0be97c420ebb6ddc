<?php

declare(strict_types=1);

namespace LoyaltyPartner\Pos;

/**
 * The client of a POS backend: asks for a basket's price within the time of a card payment, falls back to the original basket on anything
 * but a good answer, and delivers the sale event, however long that takes.
 */
final class PosClient
{
    private const ATTEMPTS_MAX = 2;

    private readonly SaleQueue $queue;

    /** @param string $queueFolder an absolute path outside the web root; must survive a restart; all processes of the POS use the same one */
    public function __construct(
        private readonly Service $service,
        string $queueFolder,
        private readonly CallTimes $times = new CallTimes(),
        private readonly SalePatience $patience = new SalePatience(),
    ) {
        $this->queue = new SaleQueue($service, $queueFolder, $patience);
    }

    /**
     * Asks for a basket's loyalty benefits: 500 ms an attempt, one more where there was no connection, 3 s in all. Never throws.
     *
     * @param array<string, mixed>|\stdClass $basket the one before loyalty, never `charged` of an earlier call
     * @param ?array<string, int> $prices the venue's list by productId, for the lines that the service adds; null: not compared
     */
    public function calculate(array|\stdClass $basket, ?array $prices = null): Calculated
    {
        $exchange = $this->call($basket);
        if ($exchange->failure !== null) {
            return self::failed($basket, $exchange, $exchange->failure, $exchange->detail);
        }
        if ($exchange->status !== 200) {
            return self::failed($basket, $exchange, 'http_error', "$exchange->status " . substr($exchange->body, 0, 200));
        }
        return self::judge($basket, $exchange, $prices);
    }

    /**
     * Takes the event of a finished or abandoned sale: returns once it is on disk. A worker delivers it. Throws where it cannot be written.
     *
     * @param array<string, mixed>|\stdClass $sale
     */
    public function record(array|\stdClass $sale): void
    {
        $this->queue->add($sale);
    }

    /**
     * For a worker, or for cron every minute: sends what is due, and waits for what falls due within these seconds.
     *
     * @return list<SaleEnd> the events that ended; none where another worker is sending
     */
    public function deliver(float $seconds = 50): array
    {
        return $this->queue->deliver($seconds);
    }

    /**
     * Asks what to refund for goods that come back, and records it unless `dryRun`: one attempt of 5 s. Never throws. Where it is `later`,
     * call again with the same return.
     *
     * @param array<string, mixed>|\stdClass $returned
     */
    public function recordReturn(array|\stdClass $returned): Returned
    {
        $path = '/v1/pos/return';
        try {
            $body = Json::write($returned);
            $key = (string) ((array) $returned)['returnId'];
        } catch (\Throwable $error) {
            $detail = "the return has no JSON: {$error->getMessage()}";
            return new Returned('refused', new Exchange('', $path, 0, failure: 'pos_error', detail: $detail));
        }
        $exchange = SignedCall::post($this->service, $path, $key, $body, $this->patience->timeoutMs);
        if (SaleQueue::isLater($exchange)) {
            return new Returned('later', $exchange);
        }
        $answer = $exchange->status === 200 ? Json::readObject($exchange->body) : null;
        return Returned::isGood($answer, $key) ? new Returned('taken', $exchange, $answer) : new Returned('refused', $exchange);
    }

    public function waiting(): int
    {
        return $this->queue->waiting();
    }

    private function call(array|\stdClass $basket): Exchange
    {
        $startedNs = hrtime(true);
        try {
            $body = Json::write($basket);
            $key = (string) ((array) $basket)['calculationId'];
        } catch (\Throwable $error) {
            $detail = "the basket has no JSON: {$error->getMessage()}";
            return new Exchange('', '/v1/pos/basket', 0, failure: 'pos_error', detail: $detail);
        }
        for ($attempt = 1; ; $attempt += 1) {
            $leftMs = $this->times->capMs - intdiv(hrtime(true) - $startedNs, 1_000_000);
            $timeoutMs = max(1, min($this->times->attemptMs, $leftMs));
            $exchange = SignedCall::post($this->service, '/v1/pos/basket', $key, $body, $timeoutMs);
            $isOver = hrtime(true) - $startedNs >= $this->times->capMs * 1_000_000;
            if (!$exchange->unsent || $isOver || $attempt === self::ATTEMPTS_MAX) {
                return $exchange;
            }
        }
    }

    private static function judge(array|\stdClass $basket, Exchange $exchange, ?array $prices): Calculated
    {
        $answer = Json::readObject($exchange->body);
        $problem = self::problemOf($answer, ((array) $basket)['calculationId']);
        if ($problem === null && $answer->status === 'applied') {
            $problem = BasketCheck::problemsOf($answer->basket ?? null, $basket, $prices)[0] ?? null;
        }
        if ($problem !== null) {
            return self::failed($basket, $exchange, 'invalid_response', $problem);
        }
        $charged = $answer->status === 'applied' ? $answer->basket : $basket;
        return new Calculated($answer->status, $charged, $exchange, $answer->status === 'unchanged' ? $answer->reason : null);
    }

    private static function problemOf(?\stdClass $answer, string $calculationId): ?string
    {
        if ($answer === null) {
            return 'the answer is no JSON object';
        }
        if (($answer->calculationId ?? null) !== $calculationId) {
            return 'the answer is for another calculation';
        }
        $status = $answer->status ?? null;
        if ($status === 'unchanged' && !is_string($answer->reason ?? null)) {
            return 'unchanged without a reason';
        }
        $isKnown = in_array($status, ['applied', 'unchanged', 'member_not_found'], true);
        return $isKnown ? null : 'a status the contract does not know';
    }

    private static function failed(array|\stdClass $basket, Exchange $exchange, string $reason, string $detail): Calculated
    {
        return new Calculated('failed', $basket, $exchange, failureReason: $reason, detail: $detail);
    }
}
