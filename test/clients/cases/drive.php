<?php

// Calls the PHP client as the cases ask: one JSON object a line in, one out.

declare(strict_types=1);

use LoyaltyPartner\Pos\{CallTimes, Json, PosClient, SalePatience, Service};

$sources = __DIR__ . '/../../../clients/pos-php/src/';
spl_autoload_register(static fn (string $name) => require $sources . basename(strtr($name, '\\', '/')) . '.php');

while (($line = fgets(STDIN)) !== false) {
    $asked = json_decode($line);
    $times = new CallTimes($asked->attemptMs, 6 * $asked->attemptMs);
    $pauseMs = $asked->pauseMs ?? 1;
    $patience = new SalePatience(pauseMs: $pauseMs, pauseMaxMs: 8 * $pauseMs);
    $client = new PosClient(new Service($asked->url, $asked->secret), $asked->folder, $times, $patience);
    if (isset($asked->returned)) {
        $sent = $client->recordReturn($asked->returned);
        $answer = ['end' => $sent->kind, 'result' => $sent->answer->result ?? null, 'refund' => $sent->answer->refund ?? null];
    } elseif (isset($asked->basket)) {
        $done = $client->calculate($asked->basket, array_column($asked->prices, 'unitPrice', 'productId'));
        $answer = ['status' => $done->status, 'reason' => $done->reason, 'failureReason' => $done->failureReason];
        $answer['charged'] = $done->charged;
    } else {
        $client->record($asked->sale);
        $end = ($asked->leave ?? false) ? null : $client->deliver(30)[0];
        $answer = ['end' => $end->kind ?? 'left', 'attempts' => $end->attempts ?? 0, 'waiting' => $client->waiting()];
    }
    echo Json::write($answer), "\n";
}
