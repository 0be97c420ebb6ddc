<?php

declare(strict_types=1);

namespace LoyaltyPartner\Pos;

/** One signed request (contract 4 and 5). */
final class SignedCall
{
    /** Many times the largest basket with its discounts: no answer of the service is larger. */
    private const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

    /**
     * The POS-Signature of a body: HMAC-SHA256 over the moment, a full stop and the bytes that are sent. The key is the secret's text,
     * even where it looks like hexadecimal digits.
     *
     * @param int $seconds since the epoch
     */
    public static function signature(string $body, string $secret, int $seconds): string
    {
        return "t=$seconds,v1=" . hash_hmac('sha256', "$seconds.$body", $secret);
    }

    /** Sends it once, over a connection of its own. Never throws. */
    public static function post(Service $service, string $path, string $key, string $body, int $timeoutMs): Exchange
    {
        $startedNs = hrtime(true);
        $requestId = Uuid::create();
        $headers = [
            'Content-Type: application/json',
            "Idempotency-Key: $key",
            'POS-Signature: ' . self::signature($body, $service->secret, time()),
            "X-Request-Id: $requestId",
            // No 100 Continue: it costs a round trip.
            'Expect:',
        ];
        [$curl, $answer] = self::prepare($service, $path, $body, $headers, $timeoutMs);
        curl_exec($curl);
        $durationMs = (hrtime(true) - $startedNs) / 1e6;
        $exchange = self::exchangeOf($curl, $answer, $requestId, $path, $durationMs);
        try {
            if ($service->onExchange !== null) {
                ($service->onExchange)($exchange);
            }
        } catch (\Throwable) {
            // A log that fails is no reason to fail a sale.
        }
        return $exchange;
    }

    /**
     * @param list<string> $headers
     * @return array{\CurlHandle, \stdClass} the answer gets `body` and `retryAfter`
     */
    private static function prepare(Service $service, string $path, string $body, array $headers, int $timeoutMs): array
    {
        $answer = (object) ['body' => '', 'retryAfter' => ''];
        $curl = curl_init();
        curl_setopt_array($curl, [
            CURLOPT_URL => $service->url . $path,
            CURLOPT_POSTFIELDS => $body,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_TIMEOUT_MS => $timeoutMs,
            // Without it curl cannot wait less than a second for a name.
            CURLOPT_NOSIGNAL => true,
            // On a connection of before, curl would send the request again by itself if that had ended meanwhile.
            CURLOPT_FRESH_CONNECT => true,
            CURLOPT_FORBID_REUSE => true,
            // A signed request is only for the service itself.
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_HEADERFUNCTION => static function ($curl, string $line) use ($answer): int {
                if (stripos($line, 'retry-after:') === 0) {
                    $answer->retryAfter = trim(substr($line, strlen('retry-after:')));
                }
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => static function ($curl, string $bytes) use ($answer): int {
                $answer->body .= $bytes;
                return strlen($answer->body) > self::ANSWER_BYTES_MAX ? 0 : strlen($bytes);
            },
        ]);
        if ($service->caFile !== null) {
            curl_setopt($curl, CURLOPT_CAINFO, $service->caFile);
        }
        return [$curl, $answer];
    }

    private static function exchangeOf(\CurlHandle $curl, \stdClass $answer, string $requestId, string $path, float $durationMs): Exchange
    {
        $error = curl_errno($curl);
        if ($error === 0) {
            $asked = $answer->retryAfter;
            $retryAfterS = ctype_digit($asked) && strlen($asked) < 10 ? (int) $asked : null;
            $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
            return new Exchange($requestId, $path, $durationMs, $status, $answer->body, $retryAfterS);
        }
        $isLate = $error === CURLE_OPERATION_TIMEDOUT;
        return new Exchange(
            $requestId,
            $path,
            $durationMs,
            failure: $isLate ? 'timeout' : 'connection_error',
            unsent: in_array($error, [CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST], true),
            detail: $isLate ? 'no answer in time' : curl_strerror($error) . ': ' . curl_error($curl),
        );
    }
}
