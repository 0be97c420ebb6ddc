-- The stored answer of a calculation. A confirmed calculation whose answer was given here can no longer be withdrawn.
--   kind  stored: digest and packed are set; outlived: older than p_idempotency_s seconds, or without body; unknown
create or replace function find_answer(
  p_calculation uuid, p_idempotency_s integer, out kind text, out digest bytea, out packed bytea
)
language plpgsql as $$
declare
  v_calculation calculation;
begin
  kind := 'unknown';
  select c.* into v_calculation from calculation c where c.calculation_id = p_calculation;
  if not found then
    return;
  end if;
  kind := 'outlived';
  if v_calculation.answered_at <= clock_timestamp() - make_interval(secs => p_idempotency_s) then
    return;
  end if;
  select b.digest, b.packed into digest, packed from calculation_body b
  where b.day = v_calculation.body_day and b.calculation_id = p_calculation;
  if not found then
    -- Its body was dropped, or it was withdrawn between the two reads.
    if not exists (select from calculation c where c.calculation_id = p_calculation) then
      kind := 'unknown';
    end if;
    return;
  end if;
  kind := 'stored';
  if v_calculation.confirmed and not v_calculation.replayed then
    update calculation c set replayed = true where c.calculation_id = p_calculation;
    if not found then
      kind := 'unknown';
      digest := null;
      packed := null;
    end if;
  end if;
end
$$;

-- Inserts calculations with their bodies in the order of their ids; ids that are stored stay as they are. Replies the new ids.
--   p_records    JSON array of rows of `calculation`, each id once; the four arrays run parallel to it
--   p_confirmed  their expiry of p_expiry_s seconds counts from now, else from answered_at
create or replace function store_calculations(
  p_records json, p_digests bytea[], p_packed bytea[], p_inputs bytea[], p_explanations bytea[],
  p_confirmed boolean, p_expiry_s integer
) returns uuid[]
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_day date := (v_now at time zone 'UTC')::date;
  v_stored uuid[];
  v_entered uuid[];
begin
  with stored as (
    insert into calculation (
      calculation_id, supersedes_calculation_id, net_before, net_after, loyalty_discount_total, answered_at, expires_at,
      programme_version, body_day, status, optimal, gap, confirmed, venue_id, bax_id, cash_register_id, channel, currency,
      requested_at, reason, loyalty_id, member_id, earning, spending, carried,
      gave, entered
    )
    select r.calculation_id, r.supersedes_calculation_id, r.net_before, r.net_after, r.loyalty_discount_total, r.answered_at,
      case when p_confirmed then v_now else r.answered_at end + make_interval(secs => p_expiry_s),
      r.programme_version, v_day, r.status, r.optimal, coalesce(r.gap, 0), p_confirmed, r.venue_id, r.bax_id, r.cash_register_id, r.channel,
      r.currency, r.requested_at, r.reason, r.loyalty_id,
      coalesce((select g.into_id from merged_member g where g.member_id = r.member_id), r.member_id), r.earning, r.spending, coalesce(r.carried, 0),
      r.gave,
      -- A merged member's basket was in that member's arm.
      case when r.entered is not null and not exists (select from merged_member g where g.member_id = r.member_id) then r.entered end
    from json_populate_recordset(null::calculation, p_records) r
    order by r.calculation_id
    on conflict do nothing
    returning calculation_id, entered
  )
  select coalesce(array_agg(calculation_id), '{}'), array_agg(calculation_id) filter (where entered is not null) into v_stored, v_entered
  from stored;
  if v_entered is not null then
    perform enter_experiments(v_entered);
  end if;

  insert into calculation_body (day, calculation_id, digest, packed, inputs, explanation)
  select v_day, b.*
  from rows from (
    json_to_recordset(p_records) as (calculation_id uuid),
    unnest(p_digests), unnest(p_packed), unnest(p_inputs), unnest(p_explanations)
  ) as b (calculation_id, digest, packed, inputs, explanation)
  where b.calculation_id = any (v_stored);
  return v_stored;
end
$$;

-- confirm_calculation for a caller that states when it sent the call (p_sent_at) by its estimate of this server's clock. Replies
-- clock_differs too: p_sent_at lies in the future of this clock, nothing is written.
--
-- Why nothing commits late. The deadline p_sent_at + p_within_ms is a moment of this clock, checked on arrival and at the end. A
-- duration from the arrival would give a delayed statement its whole time again.
-- 1. The clocks agree: a delayed statement finds the deadline over.
-- 2. This clock was set forward: nothing is written (too_late). The caller measures with a monotonic clock, takes over the time
--    of the reply and calls again within the same deadline.
-- 3. This clock was set back: a call that arrives more than c_tolerance before it was sent is refused. A clock set back while the
--    statement runs is found at the end.
-- 4. Left over: a step back of up to c_tolerance, or during a delay of the same length. The caller has answered 503 by its own timer, so
--    no answer is sent for this calculation. Its reservations last until they expire, and a repeat finds the stored answer.
create or replace function confirm_within(
  p_record json, p_digest bytea, p_packed bytea, p_inputs bytea, p_explanation bytea, p_holds json,
  p_expiry_s integer, p_idempotency_s integer, p_sent_at timestamptz, p_within_ms float8, p_plans json,
  out reply text, out counters json, out kind text, out digest bytea, out packed bytea
)
language plpgsql as $$
declare
  -- Well above the error of a clock comparison on a near network, well below the deadline of a basket.
  c_tolerance constant interval := interval '50 milliseconds';
  v_arrived_at timestamptz := clock_timestamp();
begin
  if v_arrived_at < p_sent_at - c_tolerance then
    reply := 'clock_differs';
    return;
  end if;
  select c.* into reply, counters, kind, digest, packed
  from confirm_calculation(
    p_record, p_digest, p_packed, p_inputs, p_explanation, p_holds, p_expiry_s, p_idempotency_s,
    p_sent_at + make_interval(secs => p_within_ms / 1000), p_plans
  ) c;
  if reply = 'confirmed' and clock_timestamp() < v_arrived_at then
    raise exception 'the clock was set back while % was confirmed', p_record ->> 'calculation_id' using errcode = 'LY001';
  end if;
end
$$;

-- Stores a calculation, reserves its units and holds the value that it spends, all or nothing, before a deadline.
--   p_record         as of store_calculations, and `spends`: an array of {currency_id, amount}, each currency once, or null
--   p_holds          JSON array of {limit_id, subject, period, units, maximum}
--   p_expiry_s       how long reservations and holds last, in seconds from now
--   p_idempotency_s  how long a stored answer is given again, in seconds
--   p_plans          as of join_sale
-- Replies
--   confirmed  stored
--   short      nothing stored; counters: JSON array of {limitId, subject, period, left}, or of {currencyId, left} where no counter is
--               short, with the units that it would have released
--   known      nothing written; kind, digest, packed as of find_answer
--   too_late   nothing written
-- Raises LY001 where the deadline has passed at the end, 55P03 where it passed while waiting for a lock.
create or replace function confirm_calculation(
  p_record json, p_digest bytea, p_packed bytea, p_inputs bytea, p_explanation bytea, p_holds json,
  p_expiry_s integer, p_idempotency_s integer, p_deadline timestamptz, p_plans json,
  out reply text, out counters json, out kind text, out digest bytea, out packed bytea
)
language plpgsql as $$
declare
  v_id uuid := p_record ->> 'calculation_id';
  v_supersedes uuid := p_record ->> 'supersedes_calculation_id';
  v_old calculation;
  v_freeing uuid;
  v_freed bigint[] := '{}';
  v_remaining interval := p_deadline - clock_timestamp();
  v_counters bigint[];
  v_units bigint[];
  v_maxima bigint[];
  v_counted boolean;
  v_taken integer;
  v_sold boolean;
  v_superseded boolean;
  v_member text := p_record ->> 'member_id';
  v_spends json := nullif(p_record ->> 'spends', '[]');
begin
  reply := 'too_late';
  if v_remaining <= interval '0' then
    return;
  end if;
  perform set_config('lock_timeout', ceil(extract(epoch from v_remaining) * 1000)::text, true);

  p_holds := living_holds(p_record, p_holds);
  if v_spends is not null then
    v_member := living_member(v_member);
  end if;

  if v_supersedes < v_id then
    perform lock_calculations(array[v_supersedes]);
  end if;

  -- The unique key decides: a second call waits here for the first, then finds its row or stores its own.
  loop
    exit when cardinality(store_calculations(
      json_build_array(p_record), array[p_digest], array[p_packed], array[p_inputs], array[p_explanation], true, p_expiry_s
    )) = 1;
    select 'known', f.kind, f.digest, f.packed into reply, kind, digest, packed
    from find_answer(v_id, p_idempotency_s) f;
    if kind <> 'unknown' then
      return;
    end if;
  end loop;

  if v_supersedes is not null and lock_calculations(array[v_supersedes]) <> '{}' then
    select o.* into strict v_old from calculation o where o.calculation_id = v_supersedes;
    if v_old.state = 'open' and v_old.venue_id = p_record ->> 'venue_id' and v_old.expires_at > clock_timestamp() then
      v_freeing := v_supersedes;
      v_freed := array(select r.counter_id from reservation r where r.calculation_id = v_freeing);
    end if;
  end if;

  -- A later sale or superseding calculation waits for our row. Read before the counters are locked, to hold those briefly.
  v_sold := exists (select from sale s where s.calculation_id = v_id);
  v_superseded := exists (
    select from calculation n where n.supersedes_calculation_id = v_id and n.venue_id = p_record ->> 'venue_id'
  );

  loop
    select coalesce(array_agg(w.counter_id), '{}'), array_agg(w.units), array_agg(w.maximum), bool_and(w.counter_id is not null)
    into v_counters, v_units, v_maxima, v_counted
    from (
      select k.counter_id, sum(h.units)::bigint as units, min(h.maximum) as maximum
      from json_to_recordset(p_holds) as h (limit_id text, subject text, period text, units bigint, maximum bigint)
      left join limit_counter k on k.limit_id = h.limit_id and k.subject = h.subject and k.period = h.period
      group by k.counter_id
    ) w;
    exit when v_counted is not false;
    insert into limit_counter (limit_id, subject, period, maximum)
    select h.limit_id, h.subject, h.period, h.maximum
    from json_to_recordset(p_holds) as h (limit_id text, subject text, period text, maximum bigint)
    order by h.limit_id collate "C", h.subject collate "C", h.period collate "C"
    on conflict do nothing;
  end loop;

  perform 1
  from (select distinct unnest(v_counters || v_freed) as counter_id) h
  join limit_counter k on k.counter_id = h.counter_id
  order by k.limit_id, k.subject, k.period
  for update of k;

  counters := count_left(v_counters, v_units, v_maxima, v_freeing);
  if counters is not null then
    perform release_expired(v_counters);
    counters := count_left(v_counters, v_units, v_maxima, v_freeing);
  end if;
  if counters is null and (v_spends is not null or exists (select from value_hold h where h.calculation_id = v_freeing)) then
    -- Where it is sold already, with those that the sale credits, so that all are locked in one order.
    perform lock_held_accounts(array[v_freeing], v_member, array(
      select w.currency_id from json_to_recordset(coalesce(v_spends, '[]')) as w (currency_id text)
      union all
      select unnest(planned_currencies(p_plans -> v_id::text)) where v_sold
    ));
    counters := value_left(v_member, coalesce(v_spends, '[]'), v_freeing);
  end if;
  if counters is not null then
    perform forget_calculation(v_id);
    -- Losing this commit loses nothing: it only releases holds of expired calculations, and writes expiries.
    perform set_config('synchronous_commit', 'off', true);
    reply := 'short';
    return;
  end if;

  if v_freeing is not null then
    perform release_reservations(array[v_freeing]);
    perform release_value(array[v_freeing], null);
    update calculation c set state = 'superseded' where c.calculation_id = v_freeing;
  end if;

  insert into reservation (calculation_id, counter_id, units, held_until)
  select v_id, w.counter_id, w.units, c.expires_at
  from unnest(v_counters, v_units) as w (counter_id, units), calculation c
  where c.calculation_id = v_id;

  update limit_counter k set open = k.open + w.units, maximum = w.maximum
  from unnest(v_counters, v_units, v_maxima) as w (counter_id, units, maximum)
  where k.counter_id = w.counter_id and k.used + k.late + k.open + w.units <= w.maximum;
  get diagnostics v_taken = row_count;
  if v_taken <> cardinality(v_counters) then
    raise exception 'a limit would be passed by %', v_id;
  end if;

  perform hold_value(v_id, a.account_id, w.amount)
  from json_to_recordset(coalesce(v_spends, '[]')) as w (currency_id text, amount bigint)
  left join account a on a.member_id = v_member and a.currency_id = w.currency_id;

  if v_superseded then
    perform release_reservations(array[v_id]);
    perform release_value(array[v_id], null);
    update calculation c set state = 'superseded' where c.calculation_id = v_id;
  end if;
  if v_sold then
    perform join_sale(v_id, p_plans);
  end if;

  if clock_timestamp() >= p_deadline then
    raise exception 'the time to confirm % is over', v_id using errcode = 'LY001';
  end if;
  reply := 'confirmed';
end
$$;

-- Locks calculations in the order of their ids, absent ones by claim_absence. Replies the ids that are stored.
create or replace function lock_calculations(p_calculations uuid[]) returns uuid[]
language plpgsql as $$
declare
  v_id uuid;
  v_locked uuid[] := '{}';
begin
  for v_id in select distinct unnest(p_calculations) as id order by id loop
    loop
      perform 1 from calculation c where c.calculation_id = v_id for update;
      if found then
        v_locked := v_locked || v_id;
        exit;
      end if;
      exit when claim_absence(v_id);
    end loop;
  end loop;
  return v_locked;
end
$$;

-- Claims the key of a calculation that is not stored: a call that stores it later waits for this transaction, a call that is storing it
-- now is waited for. Replies false if the calculation is there.
create or replace function claim_absence(p_calculation uuid) returns boolean
language plpgsql as $$
begin
  insert into calculation (
    calculation_id, net_before, net_after, loyalty_discount_total, answered_at, expires_at, programme_version, body_day,
    status, optimal, confirmed, venue_id, bax_id, channel, currency, requested_at
  )
  values (p_calculation, 0, 0, 0, 'epoch', 'epoch', 0, 'epoch', 'unchanged', true, false, '', '', '', '', '')
  on conflict do nothing;
  if not found then
    return false;
  end if;
  delete from calculation c where c.calculation_id = p_calculation;
  return true;
end
$$;

create or replace function forget_calculation(p_calculation uuid) returns void
language plpgsql as $$
declare
  v_day date;
begin
  delete from calculation c where c.calculation_id = p_calculation returning c.body_day into v_day;
  delete from calculation_body b where b.day = v_day and b.calculation_id = p_calculation;
  delete from reservation r where r.calculation_id = p_calculation;
  delete from value_hold h where h.calculation_id = p_calculation;
end
$$;

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

create or replace function calculation_state_now(p_calculation calculation) returns text
language sql stable as $$
  select case when p_calculation.state = 'open' and p_calculation.expires_at <= statement_timestamp() then 'expired'
    else p_calculation.state::text end
$$;
