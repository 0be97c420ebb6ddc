-- Calculations, looked into: newest first, by time, venue, member and loyalty id.

-- In the place of one that knows no order (0009): with both, a plan made for an empty table reads and sorts everything.
drop index calculation_age;
create index calculation_age on calculation (answered_at, calculation_id);
-- The predicate is always true and must be asked for: what tills look up by calculation and venue must never go through all
-- calculations of a venue (see 0001).
create index calculation_of_venue on calculation (venue_id, answered_at, calculation_id) where net_before >= 0;
create index calculation_of_member on calculation (member_id, answered_at, calculation_id) where member_id is not null;
create index calculation_of_loyalty_id on calculation (loyalty_id, answered_at, calculation_id) where loyalty_id is not null;

-- Microseconds since the epoch: what a cursor can hold without losing anything.
create function microseconds(p_at timestamptz) returns bigint
language sql immutable as $$
  select (extract(epoch from p_at) * 1000000)::bigint
$$;

create function moment_of(p_microseconds bigint) returns timestamptz
language sql immutable as $$
  select to_timestamp(0) + p_microseconds * interval '1 microsecond'
$$;

-- The state of a calculation now: one whose time is over is expired, whether or not that has been booked.
create function calculation_state_now(p_calculation calculation) returns text
language sql stable as $$
  select case when p_calculation.state = 'open' and p_calculation.expires_at <= statement_timestamp() then 'expired'
    else p_calculation.state::text end
$$;

-- The facts of a calculation now.
create function calculation_summary(
  p_calculation calculation, out "calculationId" uuid, out "supersedesCalculationId" uuid, out status text, out reason text,
  out state text, out "venueId" text, out "baxId" text, out "cashRegisterId" text, out channel text, out "loyaltyId" text,
  out "memberId" text, out currency text, out "requestedAt" text, out "programmeVersion" integer, out "netBefore" bigint,
  out "netAfter" bigint, out "loyaltyDiscountTotal" bigint, out optimal boolean, out "answeredAt" float8,
  out "expiresAt" float8, out "answeredAtUs" bigint
)
language sql stable as $$
  select p_calculation.calculation_id, p_calculation.supersedes_calculation_id, p_calculation.status::text,
    p_calculation.reason,
    calculation_state_now(p_calculation),
    p_calculation.venue_id, p_calculation.bax_id, p_calculation.cash_register_id, p_calculation.channel,
    p_calculation.loyalty_id, p_calculation.member_id, p_calculation.currency, p_calculation.requested_at,
    p_calculation.programme_version, p_calculation.net_before, p_calculation.net_after,
    p_calculation.loyalty_discount_total, p_calculation.optimal, milliseconds(p_calculation.answered_at),
    milliseconds(p_calculation.expires_at), microseconds(p_calculation.answered_at)
$$;
