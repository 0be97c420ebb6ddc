-- Stores a calculation and takes what it holds, all or nothing, while there is time.
--   p_record, p_digest .. p_explanation  as store_calculations takes them, of one calculation
--   p_holds          JSON array of {limit_id, subject, period, units, maximum}
--   p_expiry_s       how long it holds, in seconds from now
--   p_idempotency_s  how long a stored answer is given again, in seconds
--   p_deadline       commits only before this moment of this server's clock
--   reply  confirmed  stored; what it supersedes is released
--          short      nothing written; `counters` says what is left of each, counting what it would have released
--          known      nothing written: its key is taken; `kind`, `digest`, `packed` as find_answer has them
--          too_late   nothing written: the time is over (also SQLSTATE LY001, and 55P03 where it waited for a lock)
create function confirm_calculation(
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
begin
  reply := 'too_late';
  if v_remaining <= interval '0' then
    return;
  end if;
  perform require_durable();
  perform set_config('lock_timeout', ceil(extract(epoch from v_remaining) * 1000)::text, true);

  -- The unique key decides: a second call waits here for the first and then finds it, or its place empty again.
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

  -- Whoever comes from now on with either waits for our row; asked before the counters are locked, to hold them shortly.
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
  if counters is not null then
    perform forget_calculation(v_id);
    -- Nothing is lost if this does not last: it writes no more than the giving back of what has expired anyway.
    perform set_config('synchronous_commit', 'off', true);
    reply := 'short';
    return;
  end if;

  if v_freeing is not null then
    perform release_reservations(array[v_freeing]);
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

  if v_superseded then
    perform release_reservations(array[v_id]);
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

-- JSON array of what is left of each counter, where any of them is short of what is wanted; else null. What p_freeing
-- still holds counts as left. The locks of the counters are held.
create function count_left(p_counters bigint[], p_units bigint[], p_maxima bigint[], p_freeing uuid) returns json
language plpgsql as $$
declare
  v_left json;
begin
  select case when bool_or(l.units > l.maximum - l.taken) then
    json_agg(json_build_object(
      'limitId', l.limit_id, 'subject', l.subject, 'period', l.period, 'left', greatest(0, l.maximum - l.taken)
    ))
  end
  into v_left
  from (
    select k.limit_id, k.subject, k.period, w.units, w.maximum, k.used + k.late + k.open - coalesce((
      select r.units from reservation r
      where r.calculation_id = p_freeing and r.counter_id = w.counter_id and r.state = 'open'
    ), 0) as taken
    from unnest(p_counters, p_units, p_maxima) as w (counter_id, units, maximum)
    join limit_counter k on k.counter_id = w.counter_id
  ) l;
  return v_left;
end
$$;

-- Removes a calculation with its body and reservations, which hold nothing any more. Its row is locked.
create function forget_calculation(p_calculation uuid) returns void
language plpgsql as $$
declare
  v_day date;
begin
  delete from calculation c where c.calculation_id = p_calculation returning c.body_day into v_day;
  delete from calculation_body b where b.day = v_day and b.calculation_id = p_calculation;
  delete from reservation r where r.calculation_id = p_calculation;
end
$$;

-- Undoes a confirmed calculation whose answer was never sent. What it superseded stays superseded.
--   withdrawn  it is gone, and what it held is given back
--   replayed   kept: somebody has been answered from it, or it is no longer open
--   unknown    it is not there; whoever was storing it just now has given up
create function withdraw_calculation(p_calculation uuid) returns text
language plpgsql as $$
declare
  v_calculation calculation;
begin
  loop
    select c.* into v_calculation from calculation c where c.calculation_id = p_calculation for update;
    exit when found;
    if claim_absence(p_calculation) then
      return 'unknown';
    end if;
  end loop;
  if v_calculation.replayed or v_calculation.state <> 'open' or not v_calculation.confirmed then
    return 'replayed';
  end if;
  perform lock_counters(array[p_calculation]);
  perform release_reservations(array[p_calculation]);
  perform forget_calculation(p_calculation);
  return 'withdrawn';
end
$$;
