-- The fields of a sale as internal services list them; times in milliseconds, recordedAtUs in microseconds.
create or replace function sale_summary(
  p_sale sale, out "calculationId" uuid, out status text, out "failureReason" text, out "transactionId" text,
  out "receiptNumber" bigint, out "loyaltyId" text, out currency text, out "paidTotal" bigint, out "loyaltyDiscountTotal" bigint,
  out "occurredAt" text, out "venueId" text, out "baxId" text, out "cashRegisterId" text, out channel text, out result text,
  out "recordedAt" float8, out "joinedAt" float8, out discrepancies json, out "recordedAtUs" bigint, out "feedPlace" bigint,
  out "claimedAt" float8
)
language sql stable as $$
  select p_sale.calculation_id, p_sale.status::text, p_sale.failure_reason, p_sale.transaction_id, p_sale.receipt_number,
    p_sale.loyalty_id, p_sale.currency, p_sale.paid_total, p_sale.loyalty_discount_total, p_sale.occurred_at, p_sale.venue_id,
    p_sale.bax_id, p_sale.cash_register_id, p_sale.channel, p_sale.result::text, milliseconds(p_sale.recorded_at),
    milliseconds(p_sale.joined_at), to_json(p_sale.discrepancies), microseconds(p_sale.recorded_at), p_sale.feed_place,
    milliseconds(p_sale.claimed_at)
$$;
