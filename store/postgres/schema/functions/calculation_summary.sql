-- The fields of a calculation as internal services list them; times in milliseconds, answeredAtUs in microseconds.
create or replace function calculation_summary(
  p_calculation calculation, out "calculationId" uuid, out "supersedesCalculationId" uuid, out status text, out reason text,
  out state text, out "venueId" text, out "baxId" text, out "cashRegisterId" text, out channel text, out "loyaltyId" text,
  out "memberId" text, out currency text, out "requestedAt" text, out "programmeVersion" integer, out "netBefore" bigint,
  out "netAfter" bigint, out "loyaltyDiscountTotal" bigint, out optimal boolean, out gap bigint, out "answeredAt" float8,
  out "expiresAt" float8, out "answeredAtUs" bigint, out gave text
)
language sql stable as $$
  select p_calculation.calculation_id, p_calculation.supersedes_calculation_id, p_calculation.status::text,
    p_calculation.reason,
    calculation_state_now(p_calculation),
    p_calculation.venue_id, p_calculation.bax_id, p_calculation.cash_register_id, p_calculation.channel,
    p_calculation.loyalty_id, p_calculation.member_id, p_calculation.currency, p_calculation.requested_at,
    p_calculation.programme_version, p_calculation.net_before, p_calculation.net_after,
    p_calculation.loyalty_discount_total, p_calculation.optimal, p_calculation.gap, milliseconds(p_calculation.answered_at),
    milliseconds(p_calculation.expires_at), microseconds(p_calculation.answered_at), p_calculation.gave
$$;
