-- Records sale events (record_sale) in one transaction: one that fails leaves the others as they are. Replies a row each, in their order.
--   p_sales  JSON array of {sale, recounted, plan}
-- The reply to one of several that fails, or waits long for a lock, is `again`, with nothing written: record it by itself. So transactions
-- that wait for each other go on, though several sales are not locked in one order.
create or replace function record_sales(p_sales json, p_idempotency_s integer) returns table (
  reply text, discrepancies json, freed json, digest bytea, body bytea, result sale_result, basis json
)
language plpgsql as $$
declare
  v_one json;
  -- The locks of all sales are waited for until then.
  v_until timestamptz := clock_timestamp() + interval '200 milliseconds';
begin
  if json_array_length(p_sales) = 1 then
    return query select r.* from record_sale(p_sales -> 0, p_idempotency_s) r;
    return;
  end if;
  for v_one in select s.value from json_array_elements(p_sales) s loop
    perform set_config('lock_timeout', greatest(1, least(50, milliseconds(v_until) - milliseconds(clock_timestamp())))::integer::text, true);
    begin
      return query select r.* from record_sale(v_one, p_idempotency_s) r;
    exception when others then
      reply := 'again';
      return next;
      reply := null;
      -- One wait for all of them: others may wait for what this transaction holds.
      v_until := '-infinity';
    end;
  end loop;
end
$$;

-- Records a sale event exactly once.
--   p_one            JSON: `sale` is a row of `sale` as the event has it; `recounted` is a PaidCount, the rules' counts of the amount paid;
--                    '': it cannot be counted; null: not requested yet. `plan` as of earn; null: not planned yet
--   p_idempotency_s  how long a stored sale answers a repeated event, in seconds
-- Replies
--   recorded             the calculation is settled; discrepancies and freed (JSON array of counters) are set
--   unknown_calculation  stored; there is no calculation yet
--   stored               nothing written: digest, body and result are the stored sale's
--   duplicate            as stored, but older than p_idempotency_s
--   unplanned            nothing locked or written: call again with a plan for basis (EarningBasis)
--   paid_less            nothing written: less was paid than the net; call again with `recounted`. Also where it was counted for an unknown
--                        calculation, which has come since
--   uncounted            the same: it failed for an unknown calculation, so nothing is counted yet
-- Raises LY007, with nothing written, where the plan does not fit the state under the locks.
create or replace function record_sale(
  p_one json, p_idempotency_s integer,
  out reply text, out discrepancies json, out freed json, out digest bytea, out body bytea, out result sale_result, out basis json
)
language plpgsql as $$
declare
  v_sale sale := json_populate_record(null::sale, p_one -> 'sale');
  v_calculation calculation;
  v_known boolean;
  v_counted text := p_one ->> 'recounted';
  v_recounted json := nullif(v_counted, '');
  -- Null also where the JSON says null.
  v_plan json := p_one ->> 'plan';
  v_freed bigint[] := '{}';
begin
  if v_plan is null then
    basis := unplanned_basis(v_sale, v_counted);
    if basis is not null then
      reply := 'unplanned';
      return;
    end if;
  end if;
  loop
    select c.* into v_calculation from calculation c where c.calculation_id = v_sale.calculation_id for update;
    v_known := found;
    exit when v_known;
    exit when claim_absence(v_sale.calculation_id);
  end loop;

  -- The calculation is locked, so no other sale of it is being recorded.
  select
      case when s.recorded_at > clock_timestamp() - make_interval(secs => p_idempotency_s) then 'stored' else 'duplicate' end,
      s.digest, s.body, s.result
    into reply, digest, body, result
    from sale s where s.calculation_id = v_sale.calculation_id;
  if found then
    return;
  end if;

  if not claim_transaction(v_sale) then
    v_sale.discrepancies := array['transaction_repeated'];
  -- Counts made while the calculation was unknown do not fit its basket.
  elsif v_counted is null or (v_known and v_recounted ->> 'memberId' is not null) then
    reply := case
      when v_known then case when v_calculation.earning is not null and paid_less(v_sale, v_calculation) then 'paid_less' end
      when v_sale.status = 'failed' and v_sale.loyalty_id is not null and v_sale.paid_total > 0 and exists (select from value_rule)
        then 'uncounted'
    end;
    if reply is not null then
      return;
    end if;
  end if;

  v_sale.recorded_at := clock_timestamp();
  if v_known then
    v_sale.result := 'recorded';
    select t.discrepancies, t.freed into v_sale.discrepancies, v_freed
    from settle_sale(v_sale, v_calculation, null, v_recounted, v_plan) t;
  else
    v_sale.result := 'unknown_calculation';
    v_sale.discrepancies := 'unknown_calculation'::text || v_sale.discrepancies;
    if settled_status(v_sale) = 'failed' then
      v_sale.discrepancies := v_sale.discrepancies
        || case when (v_recounted ->> 'isPartial')::boolean then array['earning_unknown'] else '{}' end
        || earn(
          v_sale, planned_accounts(v_recounted ->> 'memberId', v_plan), sale_earning(v_sale, null, v_recounted), v_plan
        );
      perform count_visit(
        (select l.member_id from member_loyalty_id l where l.loyalty_id = v_sale.loyalty_id), sale_moment(v_sale)
      );
      perform announce_tier_of_sale(v_sale.calculation_id);
    end if;
  end if;
  -- Each column by name: a migration may add one to `sale` while this runs.
  insert into sale (
    calculation_id, receipt_number, paid_total, loyalty_discount_total, recorded_at, status, result, loyalty_id_sent, currency,
    channel, occurred_at, failure_reason, transaction_id, loyalty_id, venue_id, bax_id, cash_register_id, discrepancies, digest, body
  )
  values (
    v_sale.calculation_id, v_sale.receipt_number, v_sale.paid_total, v_sale.loyalty_discount_total, v_sale.recorded_at,
    v_sale.status, v_sale.result, v_sale.loyalty_id_sent, v_sale.currency, v_sale.channel, v_sale.occurred_at,
    v_sale.failure_reason, v_sale.transaction_id, v_sale.loyalty_id, v_sale.venue_id, v_sale.bax_id, v_sale.cash_register_id,
    v_sale.discrepancies, v_sale.digest, v_sale.body
  );

  reply := v_sale.result;
  discrepancies := to_json(v_sale.discrepancies);
  select coalesce(json_agg(json_build_object('limitId', k.limit_id, 'subject', k.subject, 'period', k.period)), '[]')
    into freed
    from limit_counter k where k.counter_id = any (v_freed);
end
$$;

-- Settles a calculation, locked by the caller, by its sale, compares the two, gives the member the sale's earning, counts its visit,
-- and announces the tier that it reaches.
--   p_sale         with transaction_repeated among its discrepancies it uses and earns nothing, and is no visit
--   p_at           when the sale came; null: now
--   p_recounted    JSON of a PaidCount where less was paid than the net; null: not counted
--   p_plan         as of earn
--   discrepancies  of settle_calculation and, last, of earn; then transaction_repeated
--   freed          counters that got units back
create or replace function settle_sale(
  p_sale sale, p_calculation calculation, p_at timestamptz, p_recounted json, p_plan json, out discrepancies text[], out freed bigint[]
)
language plpgsql as $$
declare
  v_settled sale := p_sale;
begin
  v_settled.status := settled_status(p_sale);
  select compare_sale(p_sale, p_calculation) || t.late, t.freed into discrepancies, freed
  from settle_calculation(p_calculation, v_settled.status, p_at, p_plan) t;
  discrepancies := discrepancies || earn(
    p_sale, planned_accounts(p_calculation.member_id, p_plan), sale_earning(p_sale, p_calculation, p_recounted), p_plan
  );
  -- One that failed before its calculation came was counted by its loyalty id.
  if v_settled.status in ('applied', 'unchanged', 'failed')
    and not (v_settled.status = 'failed' and p_sale.result = 'unknown_calculation' and p_sale.loyalty_id is not null)
  then
    perform count_visit(p_calculation.member_id, sale_moment(p_sale));
  end if;
  perform announce_tier_of_sale(p_sale.calculation_id);
  if 'transaction_repeated' = any (p_sale.discrepancies) then
    discrepancies := discrepancies || 'transaction_repeated'::text;
  end if;
end
$$;

-- The basis of a sale that is not recorded yet, without locks; null: it earns nothing, or its earning must first be counted anew.
create or replace function unplanned_basis(p_sale sale, p_recounted text) returns json
language plpgsql stable as $$
declare
  v_calculation calculation;
begin
  select c.* into v_calculation from calculation c where c.calculation_id = p_sale.calculation_id;
  if p_recounted is null and paid_less(p_sale, v_calculation) then
    return null;
  end if;
  return sale_basis(p_sale, v_calculation, nullif(p_recounted, '')::json);
end
$$;

create or replace function compare_sale(p_sale sale, p_calculation calculation) returns text[]
language sql stable as $$
  select array_remove(array[
    case when p_sale.status not in ('failed', 'cancelled') and p_sale.status::text <> p_calculation.status::text
      then 'status_mismatch' end,
    case when p_sale.currency <> p_calculation.currency then 'currency_mismatch' end,
    case when p_sale.venue_id is distinct from p_calculation.venue_id then 'venue_mismatch' end,
    case when p_sale.loyalty_id_sent and p_sale.loyalty_id is distinct from p_calculation.loyalty_id
      then 'loyalty_id_mismatch' end,
    case when p_sale.paid_total <> charged_net(p_sale, p_calculation) then 'paid_total_mismatch' end,
    case when p_sale.status = 'applied' and p_sale.loyalty_discount_total <> p_calculation.loyalty_discount_total
      then 'discount_total_mismatch' end
  ], null)
$$;

create or replace function charged_net(p_sale sale, p_calculation calculation) returns bigint
language sql stable as $$
  select case when p_sale.status = 'applied' then p_calculation.net_after else p_calculation.net_before end
$$;

create or replace function paid_less(p_sale sale, p_calculation calculation) returns boolean
language sql stable as $$
  select p_sale.status in ('applied', 'unchanged', 'failed')
    and coalesce(p_sale.paid_total < charged_net(p_sale, p_calculation), false)
$$;

-- The status by which a sale settles: a repeated transaction uses and earns nothing, as where no member was found.
create or replace function settled_status(p_sale sale) returns sale_status
language sql immutable as $$
  select case when 'transaction_repeated' = any (p_sale.discrepancies) then 'member_not_found' else p_sale.status end
$$;

-- Locks the transaction of a sale event. Replies false where a sale of another calculation with the same venue, register, transaction,
-- paid total and day is stored. A paid total that both leave out is the same.
create or replace function claim_transaction(p_sale sale) returns boolean
language plpgsql as $$
begin
  if p_sale.transaction_id is null or p_sale.venue_id is null or p_sale.cash_register_id is null then
    return true;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(
    concat_ws(' ', 'loyalty transaction', p_sale.transaction_id, p_sale.venue_id, p_sale.cash_register_id), 0
  ));
  return not exists (
    select from sale s
    where s.transaction_id = p_sale.transaction_id and s.venue_id = p_sale.venue_id and s.cash_register_id = p_sale.cash_register_id
      and coalesce(s.paid_total, -1) = coalesce(p_sale.paid_total, -1) and s.calculation_id <> p_sale.calculation_id
      and sale_day(s) = sale_day(p_sale)
  );
end
$$;

create or replace function sale_day(p_sale sale) returns date
language plpgsql stable as $$
begin
  return (
    select local_day(p_sale.occurred_at::timestamptz, v.time_zone, v.day_starts)
    from (select) one left join venue v on v.venue_id = p_sale.venue_id
  );
exception when data_exception then
  return null;
end
$$;

-- The time of a sale: no later than its record, whatever the clock of its POS shows.
create or replace function sale_moment(p_sale sale) returns timestamptz
language plpgsql stable as $$
begin
  return least(p_sale.occurred_at::timestamptz, p_sale.recorded_at);
exception when data_exception then
  return p_sale.recorded_at;
end
$$;

create or replace function count_visit(p_member text, p_at timestamptz) returns void
language plpgsql as $$
declare
  v_into text;
begin
  insert into member_visits as v (member_id, visits, last_at)
  select m.member_id, 1, p_at from member m where m.member_id = p_member
  on conflict (member_id) do update set visits = v.visits + 1, last_at = greatest(v.last_at, p_at);
  -- Also where it was merged while we waited for its row.
  select g.into_id into v_into from merged_member g where g.member_id = p_member;
  if found then
    delete from member_visits v where v.member_id = p_member;
    perform count_visit(v_into, p_at);
  end if;
end
$$;

-- Locks, or creates, the counts of visits of these members, by member_id; after accounts, before sales.
create or replace function lock_visits(p_members text[]) returns void
language plpgsql as $$
begin
  insert into member_visits as v (member_id, visits)
  select distinct m.member_id, 0 from member m where m.member_id in (
    select coalesce(g.into_id, n.member_id) from unnest(p_members) n (member_id)
    left join merged_member g on g.member_id = n.member_id
  )
  order by m.member_id
  on conflict (member_id) do update set visits = v.visits;
end
$$;

create or replace function sale_summary(
  p_sale sale, out "calculationId" uuid, out status text, out "failureReason" text, out "transactionId" text,
  out "receiptNumber" bigint, out "loyaltyId" text, out currency text, out "paidTotal" bigint, out "loyaltyDiscountTotal" bigint,
  out "occurredAt" text, out "venueId" text, out "baxId" text, out "cashRegisterId" text, out channel text, out result text,
  out "recordedAt" float8, out "joinedAt" float8, out discrepancies json, out "recordedAtUs" bigint, out "feedPlace" bigint,
  out "claimedAt" float8, out "givenTotal" bigint, out "refundTotal" bigint, out "paidDifference" bigint,
  out "discountDifference" bigint, out settled json
)
language sql stable as $$
  select p_sale.calculation_id, p_sale.status::text, p_sale.failure_reason, p_sale.transaction_id, p_sale.receipt_number,
    p_sale.loyalty_id, p_sale.currency, p_sale.paid_total, p_sale.loyalty_discount_total, p_sale.occurred_at, p_sale.venue_id,
    p_sale.bax_id, p_sale.cash_register_id, p_sale.channel, p_sale.result::text, milliseconds(p_sale.recorded_at),
    milliseconds(p_sale.joined_at), to_json(p_sale.discrepancies), microseconds(p_sale.recorded_at), p_sale.feed_place,
    milliseconds(p_sale.claimed_at), coalesce(given_in_sale(p_sale, c), 0),
    (select coalesce(sum(r.refund), 0)::bigint from sale_return r where r.calculation_id = p_sale.calculation_id),
    case when c.currency = p_sale.currency and p_sale.status <> 'cancelled' then p_sale.paid_total - charged_net(p_sale, c) end,
    case when c.currency = p_sale.currency and p_sale.status = 'applied'
      then p_sale.loyalty_discount_total - c.loyalty_discount_total end,
    case when p_sale.settled_at is not null and p_sale.discrepancies <@ p_sale.settled then json_build_object(
      'at', milliseconds(p_sale.settled_at), 'actor', p_sale.settled_by, 'note', coalesce(p_sale.settled_note, '')
    ) end
  from (select) one left join calculation c on c.calculation_id = p_sale.calculation_id
$$;

create or replace function change_settlement(
  p_by change_context, p_calculation uuid, p_discrepancies text[], p_note text
) returns json
language plpgsql as $$
declare
  v_sale sale;
  v_settled text[];
begin
  select s.* into v_sale from sale s where s.calculation_id = p_calculation for update;
  v_settled := array(
    select d from unnest(v_sale.discrepancies) d where d = any(v_sale.settled) or d = any(p_discrepancies)
  );
  perform refuse('{"kind":"unknown_sale"}') where v_sale.calculation_id is null;
  perform refuse('{"kind":"nothing_to_settle"}') where v_settled <@ v_sale.settled;
  update sale s
  set settled = v_settled, settled_at = clock_timestamp(), settled_by = p_by.actor, settled_note = p_note
  where s.calculation_id = p_calculation;
  perform add_audit(
    p_by, 'sale', p_calculation::text, json_build_object('settled', v_sale.settled)::text,
    json_build_object('settled', v_settled)::text
  );
  return '{"kind":"done"}';
end
$$;

-- Gives at most p_max sales their places in the feed, the oldest first. One transaction at a time does so, each after the commit of the
-- one before: so places become visible in their order. Replies how many got one.
create or replace function place_sales(p_max integer) returns integer
language plpgsql as $$
declare
  v_last bigint;
  v_placed integer;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('loyalty sale feed', 0)) then
    return 0;
  end if;
  -- A separate statement: its snapshot must contain the commit of the last lock holder.
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
