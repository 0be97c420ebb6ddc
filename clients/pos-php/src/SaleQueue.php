<?php

declare(strict_types=1);

namespace LoyaltyPartner\Pos;

/**
 * Sale events on their way: a file each in a folder, written by the request that sells, sent by a worker. Beside it `.next` has the number
 * of attempts and the moment of the next one, so that a worker that cron starts goes on where the last one ended.
 */
final class SaleQueue
{
    /** The longest pause that an answer may ask for: a proxy's Retry-After of days would outlast the horizon. */
    private const ASKED_S_MAX = 3_600;
    private const PART_AGE_MAX_S = 3_600;
    private const RESULTS = ['recorded', 'duplicate', 'unknown_calculation'];

    public function __construct(
        private readonly Service $service,
        private readonly string $folder,
        private readonly SalePatience $patience,
    ) {
        // FPM runs a script in the folder of its page, cron in another one.
        if (preg_match('~^(/|\\\\|[A-Za-z]:[/\\\\])~', $folder) !== 1) {
            throw new \ValueError("queueFolder: expected an absolute path outside the web root, not $folder");
        }
        if (!is_dir($folder) && !@mkdir($folder, 0700, true) && !is_dir($folder)) {
            throw new \RuntimeException("$folder: no such folder, and it cannot be made");
        }
    }

    public function add(array|\stdClass $sale): void
    {
        $file = "$this->folder/" . self::nameOf(((array) $sale)['calculationId'] ?? null) . '.json';
        if (is_file($file)) {
            return;
        }
        $part = "$file." . bin2hex(random_bytes(8)) . '.part';
        $writing = fopen($part, 'x');
        $body = Json::write($sale);
        if ($writing === false || fwrite($writing, $body) !== strlen($body) || !fsync($writing) || !fclose($writing) || !rename($part, $file)) {
            throw new \RuntimeException("$file: the sale event cannot be written");
        }
    }

    public function waiting(): int
    {
        return count($this->files());
    }

    /**
     * Sends what is due, and waits for what falls due within these seconds.
     *
     * @return list<SaleEnd> the events that ended; none where another worker is sending
     */
    public function deliver(float $seconds): array
    {
        // Windows opens no folder.
        $lock = @fopen($this->folder, 'r') ?: @fopen("$this->folder.lock", 'c');
        if ($lock === false) {
            throw new \RuntimeException("$this->folder: cannot be opened; deliver as the user that records");
        }
        if (!flock($lock, LOCK_EX | LOCK_NB)) {
            return [];
        }
        $this->removeParts();
        $until = microtime(true) + $seconds;
        $ends = [];
        do {
            $events = $this->dueBy($until);
            foreach ($events as ['file' => $file, 'attempts' => $attempts, 'due' => $due]) {
                $now = microtime(true);
                if ($now > $until) {
                    break 2;
                }
                usleep((int) (1e6 * max(0, $due - $now)));
                $ends[] = $this->attempt($file, $attempts);
            }
        } while ($events !== []);
        return array_values(array_filter($ends));
    }

    private function dueBy(float $until): array
    {
        $events = array_map(static function (string $file): array {
            $state = Json::readObject((string) @file_get_contents("$file.next"));
            $due = $state->due ?? filemtime($file);
            return ['file' => $file, 'attempts' => $state->attempts ?? 0, 'due' => (float) $due];
        }, $this->files());
        usort($events, static fn (array $left, array $right): int => $left['due'] <=> $right['due']);
        return array_values(array_filter($events, static fn (array $event): bool => $event['due'] <= $until));
    }

    private function attempt(string $file, int $attempts): ?SaleEnd
    {
        $id = basename($file, '.json');
        if (time() - filemtime($file) > $this->patience->horizonS) {
            return $this->end($file, 'expired', new SaleEnd($id, 'expired', $attempts, null));
        }
        $body = (string) file_get_contents($file);
        $exchange = SignedCall::post($this->service, '/v1/pos/sale', $id, $body, $this->patience->timeoutMs);
        $attempts += 1;
        if (!self::isLater($exchange)) {
            $kind = self::isTaken($exchange, $id) ? 'taken' : 'refused';
            return $this->end($file, $kind, new SaleEnd($id, $kind, $attempts, $exchange));
        }
        $backoffMs = min($this->patience->pauseMaxMs, $this->patience->pauseMs * 2 ** min($attempts - 1, 30));
        $pauseS = max(min($exchange->retryAfterS ?? 0, self::ASKED_S_MAX), $backoffMs / 1000);
        file_put_contents("$file.next", Json::write(['attempts' => $attempts, 'due' => microtime(true) + $pauseS]));
        return null;
    }

    /** Deletes the file of a delivered sale, and renames one that is given up, for people to look at. */
    private function end(string $file, string $kind, SaleEnd $end): SaleEnd
    {
        $isMoved = $kind === 'taken' ? unlink($file) : rename($file, "$file.$kind");
        if (!$isMoved) {
            throw new \RuntimeException("$file: cannot be " . ($kind === 'taken' ? 'deleted' : 'renamed'));
        }
        @unlink("$file.next");
        return $end;
    }

    /** True when the service has not answered: no answer, 429, 5xx, a redirect, or a proxy's page. */
    public static function isLater(Exchange $exchange): bool
    {
        if ($exchange->status === null || $exchange->status === 429 || $exchange->status >= 500) {
            return true;
        }
        return $exchange->status < 400 && Json::readObject($exchange->body) === null;
    }

    private static function isTaken(Exchange $exchange, string $id): bool
    {
        $answer = $exchange->status === 200 ? Json::readObject($exchange->body) : null;
        return ($answer->calculationId ?? null) === $id && in_array($answer->result ?? null, self::RESULTS, true);
    }

    /** @return list<string> */
    private function files(): array
    {
        return glob("$this->folder/*.json") ?: [];
    }

    /** Of processes that ended while they wrote: no event, for `add` had not returned. */
    private function removeParts(): void
    {
        foreach (glob("$this->folder/*.part") ?: [] as $part) {
            if (time() - (int) @filemtime($part) > self::PART_AGE_MAX_S) {
                @unlink($part);
            }
        }
    }

    private static function nameOf(mixed $calculationId): string
    {
        if (!is_string($calculationId) || preg_match('/^[0-9a-f-]{36}$/D', $calculationId) !== 1) {
            throw new \InvalidArgumentException('calculationId: expected a UUID in lower case');
        }
        return $calculationId;
    }
}
