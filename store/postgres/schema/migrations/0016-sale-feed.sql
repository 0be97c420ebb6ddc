-- Sales, looked into: newest first, and as a feed in an order that never changes.

drop index sale_age;
create index sale_age on sale (recorded_at, calculation_id);
create index sale_of_venue on sale (venue_id, recorded_at, calculation_id) where venue_id is not null;
drop index sale_discrepancy;
create index sale_discrepancy on sale (recorded_at, calculation_id) where discrepancies <> '{}';

-- The place of a sale in the feed; null until it has been given one, after its commit: a number taken while a sale is still being
-- written could become visible below one that has already been read.
alter table sale add column feed_place bigint;
create unique index sale_feed on sale (feed_place) where feed_place is not null;
create index sale_unplaced on sale (recorded_at, calculation_id) where feed_place is null;

-- Gives places to sales that have none, at most p_max; replies how many got one. One at a time, each after the commit of the last:
-- so places become visible in their order. Sales that somebody works on get theirs the next time.
create function place_sales(p_max integer) returns integer
language plpgsql as $$
declare
  v_last bigint;
  v_placed integer;
begin
  -- Whoever has read a place may ask for what comes after it: it must not be given out a second time.
  perform require_durable();
  if not pg_try_advisory_xact_lock(hashtextextended('loyalty sale feed', 0)) then
    return 0;
  end if;
  -- A statement of its own, for what it sees must be what the last holder of the lock has committed.
  select coalesce((select s.feed_place from sale s where s.feed_place is not null order by s.feed_place desc limit 1), 0)
  into v_last;
  with next as (
    select s.calculation_id, s.recorded_at from sale s
    where s.feed_place is null
    order by s.recorded_at, s.calculation_id
    limit p_max
    for update skip locked
  ), placed as (
    select n.calculation_id, row_number() over (order by n.recorded_at, n.calculation_id) as place from next n
  )
  update sale s set feed_place = v_last + p.place
  from placed p
  where s.calculation_id = p.calculation_id;
  get diagnostics v_placed = row_count;
  return v_placed;
end
$$;

-- The facts of a sale.
create function sale_summary(
  p_sale sale, out "calculationId" uuid, out status text, out "failureReason" text, out "transactionId" text,
  out "receiptNumber" bigint, out "loyaltyId" text, out currency text, out "paidTotal" bigint, out "loyaltyDiscountTotal" bigint,
  out "occurredAt" text, out "venueId" text, out "baxId" text, out "cashRegisterId" text, out channel text, out result text,
  out "recordedAt" float8, out "joinedAt" float8, out discrepancies json, out "recordedAtUs" bigint, out "feedPlace" bigint
)
language sql stable as $$
  select p_sale.calculation_id, p_sale.status::text, p_sale.failure_reason, p_sale.transaction_id, p_sale.receipt_number,
    p_sale.loyalty_id, p_sale.currency, p_sale.paid_total, p_sale.loyalty_discount_total, p_sale.occurred_at, p_sale.venue_id,
    p_sale.bax_id, p_sale.cash_register_id, p_sale.channel, p_sale.result::text, milliseconds(p_sale.recorded_at),
    milliseconds(p_sale.joined_at), to_json(p_sale.discrepancies), microseconds(p_sale.recorded_at), p_sale.feed_place
$$;
