-- Stores a calculation, reserves its units and holds what it spends, all or nothing, before a deadline.
--   p_record, p_digest .. p_explanation  as of store_calculations, for one calculation; p_record also has `spends`: an array of
--                    {currency_id, amount}, each currency once, or null
--   p_holds          JSON array of {limit_id, subject, period, units, maximum}
--   p_expiry_s       how long reservations and holds last, in seconds from now
--   p_idempotency_s  how long a stored answer is given again, in seconds
--   p_deadline       by this server's clock; nothing commits after it
-- Replies
--   confirmed  stored
--   short      nothing stored; counters: JSON array of {limitId, subject, period, left}, or of {currencyId, left} where no counter
--              is short, with what it would have released
--   known      nothing written; kind, digest, packed as of find_answer
--   too_late   nothing written; the deadline is over
-- Raises LY001 where the deadline has passed at the end, 55P03 where it passed while waiting for a lock.
-- Locks: the member, shared, where its counters or accounts are held (living_member), calculations (its own and the one it supersedes), counters, accounts, sale.
create or replace function confirm_calculation(
  p_record json, p_digest bytea, p_packed bytea, p_inputs bytea, p_explanation bytea, p_holds json,
  p_expiry_s integer, p_idempotency_s integer, p_deadline timestamptz,
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
      select r.currency_id from sale s cross join lateral earning_rules((p_record ->> 'earning')::jsonb, s.status = 'applied') r
      where v_sold and s.calculation_id = v_id
    ));
    counters := value_left(v_member, coalesce(v_spends, '[]'), v_freeing);
  end if;
  if counters is not null then
    perform forget_calculation(v_id);
    -- Losing this commit loses nothing: it only releases what expired calculations hold, and writes what has expired.
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
    perform join_sale(v_id);
  end if;

  if clock_timestamp() >= p_deadline then
    raise exception 'the time to confirm % is over', v_id using errcode = 'LY001';
  end if;
  reply := 'confirmed';
end
$$;
