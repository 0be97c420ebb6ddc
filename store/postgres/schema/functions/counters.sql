create or replace function lock_counters(p_calculations uuid[]) returns void
language plpgsql as $$
begin
  perform 1
  from (select distinct r.counter_id from reservation r where r.calculation_id = any (p_calculations)) h
  join limit_counter k on k.counter_id = h.counter_id
  order by k.limit_id, k.subject, k.period
  for update of k;
end
$$;

-- The units left of counters, which the caller has locked.
--   p_counters, p_units, p_maxima  parallel: counter, units wanted, maximum now
--   p_freeing  calculation whose open reservations count as left; null: none
-- Replies a JSON array of {limitId, subject, period, left} where a counter has too few; null: all have enough.
create or replace function count_left(p_counters bigint[], p_units bigint[], p_maxima bigint[], p_freeing uuid) returns json
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

create or replace function release_reservations(p_calculations uuid[]) returns bigint[]
language plpgsql as $$
declare
  v_counters bigint[];
begin
  with released as (
    update reservation r set state = 'released', held_until = null
    where r.calculation_id = any (p_calculations) and r.state = 'open'
    returning r.counter_id, r.units
  ), given as (
    update limit_counter k set open = k.open - s.units
    from (select counter_id, sum(units)::bigint as units from released group by counter_id) s
    where k.counter_id = s.counter_id
    returning k.counter_id
  )
  select coalesce(array_agg(counter_id), '{}') into v_counters from given;
  return v_counters;
end
$$;

-- Releases the expired reservations of these counters, of whichever calculation.
create or replace function release_expired(p_counters bigint[]) returns void
language plpgsql as $$
declare
  -- In a variable: a volatile function is no index condition.
  v_now timestamptz := clock_timestamp();
begin
  with released as (
    update reservation r set state = 'released', held_until = null
    where r.counter_id = any (p_counters) and r.held_until <= v_now
    returning r.counter_id, r.units
  )
  update limit_counter k set open = k.open - s.units
  from (select counter_id, sum(units)::bigint as units from released group by counter_id) s
  where k.counter_id = s.counter_id;
end
$$;

create or replace function use_reservations(p_calculation uuid) returns void
language plpgsql as $$
declare
  v_counters bigint[];
begin
  with used as (
    update reservation r set state = 'used', held_until = null
    where r.calculation_id = p_calculation and r.state = 'open'
    returning r.counter_id, r.units
  ), counted as (
    update limit_counter k set open = k.open - u.units, used = k.used + u.units
    from used u
    where k.counter_id = u.counter_id
    returning k.counter_id
  )
  select array_agg(counter_id) into v_counters from counted;
  if v_counters is not null then
    perform announce_budgets(v_counters);
  end if;
end
$$;

-- Counts the released reservations of a calculation as used late, beyond the maximum if necessary. Replies whether that exceeded one.
create or replace function use_late(p_calculation uuid) returns boolean
language plpgsql as $$
declare
  v_counters bigint[];
begin
  with used as (
    update reservation r set state = 'late'
    where r.calculation_id = p_calculation and r.state = 'released'
    returning r.counter_id, r.units
  ), counted as (
    update limit_counter k set late = k.late + u.units
    from used u
    where k.counter_id = u.counter_id
    returning k.counter_id
  )
  select coalesce(array_agg(counter_id), '{}') into v_counters from counted;
  perform announce_budgets(v_counters);
  perform release_expired(v_counters);
  return exists (
    select from limit_counter k where k.counter_id = any (v_counters) and k.used + k.late + k.open > k.maximum
  );
end
$$;

-- Adds the events of limit counters of `everyone` and `venue` with 80 or 100 % sold: once for a counter and threshold, even where
-- the maximum changes later.
create or replace function announce_budgets(p_counters bigint[]) returns void
language plpgsql as $$
declare
  v_counter limit_counter;
  v_percent integer;
begin
  for v_counter in
    select k.* from limit_counter k
    where k.counter_id = any (p_counters) and k.announced < 100 and k.used + k.late >= k.maximum * 0.8
      and (k.announced = 0 or k.used + k.late >= k.maximum)
      -- A member may have the id of a venue: the limit decides.
      and (k.subject = '' or (
        exists (select from venue v where v.venue_id = k.subject) and limit_scope(k.limit_id) is distinct from 'member'
      ))
    order by k.limit_id, k.subject, k.period
  loop
    foreach v_percent in array array[80, 100] loop
      continue when v_percent <= v_counter.announced;
      continue when (v_counter.used + v_counter.late) * 100.0 < v_counter.maximum::numeric * v_percent;
      perform add_event('budget.reached', null, json_build_object(
        'limitId', v_counter.limit_id, 'venueId', nullif(v_counter.subject, ''), 'period', v_counter.period,
        'percent', v_percent, 'used', v_counter.used + v_counter.late, 'maximum', v_counter.maximum
      ));
      update limit_counter k set announced = v_percent where k.counter_id = v_counter.counter_id;
    end loop;
  end loop;
end
$$;

create or replace function limit_scope(p_limit text) returns text
language plpgsql stable as $$
declare
  v_benefits json := (select p.benefits::json from programme_version p order by p.version desc limit 1);
begin
  -- An object where there is more than benefits.
  if json_typeof(v_benefits) = 'object' then
    v_benefits := v_benefits -> 'benefits';
  end if;
  return (
    select l.value ->> 'scope'
    from json_array_elements(v_benefits) b,
      json_array_elements(case when json_typeof(b.value -> 'limits') = 'array' then b.value -> 'limits' end) l
    where l.value ->> 'limitId' = p_limit
    limit 1
  );
end
$$;

-- A counter now. Expired reservations are not in `open`; nextExpiryAt and lastExpiryAt are for open ones, in milliseconds.
create or replace function limit_counter_state(
  p_counter limit_counter, out "limitId" text, out subject text, out period text, out maximum bigint, out used bigint,
  out late bigint, out open bigint, out "nextExpiryAt" float8, out "lastExpiryAt" float8
)
language sql stable as $$
  select p_counter.limit_id, p_counter.subject, p_counter.period, p_counter.maximum, p_counter.used, p_counter.late,
    p_counter.open - coalesce((
      select sum(r.units)::bigint from reservation r
      where r.counter_id = p_counter.counter_id and r.held_until <= statement_timestamp()
    ), 0),
    (
      select milliseconds(min(r.held_until)) from reservation r
      where r.counter_id = p_counter.counter_id and r.held_until > statement_timestamp()
    ),
    (
      select milliseconds(max(r.held_until)) from reservation r
      where r.counter_id = p_counter.counter_id and r.held_until > statement_timestamp()
    )
$$;

-- How much was taken of a counter since p_ago. A younger counter counts from its beginning; null where no sample helps.
create or replace function limit_pace(p_counter limit_counter, p_ago interval, out since timestamptz, out taken bigint)
language sql stable as $$
  select b.since, greatest(0, p_counter.used + p_counter.late + p_counter.open - b.taken)
  from (
    (
      -- Samples are ten minutes apart, and six hours behind the first day; where they are further apart nothing was taken between.
      select 1 as choice, s.taken,
        greatest(s.at, statement_timestamp() - p_ago - case when p_ago > '1 day' then interval '6 hours' else '10 minutes' end) as since
      from limit_sample s
      where s.counter_id = p_counter.counter_id and s.at <= statement_timestamp() - p_ago
      order by s.at desc limit 1
    )
    union all
    select 2, 0, p_counter.created_at where p_counter.created_at > statement_timestamp() - p_ago
    union all
    (
      select 3, s.taken, s.at from limit_sample s where s.counter_id = p_counter.counter_id order by s.at limit 1
    )
    order by 1 limit 1
  ) b
$$;

-- Samples the taken units of counters, at most every p_every. An unchanged counter gets a sample every twelve hours.
--   p_counters  JSON array of {limitId, isOfVenue, periods}: limits for everyone or a venue with their current periods
-- Replies how many samples it took.
create or replace function sample_limits(p_counters json, p_every interval) returns integer
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_day timestamptz := v_now - interval '25 hours';
  v_week timestamptz := v_now - interval '7 days 6 hours';
  v_sampled integer;
begin
  perform 1 from limit_sampling g where g.sampled_at <= v_now - p_every for update skip locked;
  if not found then
    return 0;
  end if;
  update limit_sampling set sampled_at = v_now;

  insert into limit_sample (counter_id, at, taken)
  select k.counter_id, v_now, k.used + k.late + k.open
  from json_to_recordset(p_counters) as f ("limitId" text, "isOfVenue" boolean, periods json)
  cross join lateral (
    select '' as subject where not f."isOfVenue" union all select v.venue_id from venue v where f."isOfVenue"
  ) s
  cross join lateral json_array_elements_text(f.periods) p (period)
  join limit_counter k on k.limit_id = f."limitId" and k.subject = s.subject and k.period = p.period
  left join lateral (
    select l.at, l.taken from limit_sample l where l.counter_id = k.counter_id order by l.at desc limit 1
  ) l on true
  where (k.used + k.late + k.open) is distinct from l.taken or l.at < v_now - interval '12 hours'
  on conflict do nothing;
  get diagnostics v_sampled = row_count;

  delete from limit_sample d
  where d.at < v_day and exists (
    select from limit_sample n
    where n.counter_id = d.counter_id and n.at > d.at
      and (n.at < v_week or (n.at < v_day and date_bin('6 hours', n.at, 'epoch') = date_bin('6 hours', d.at, 'epoch')))
  );
  delete from limit_sample d where d.at < v_now - interval '8 days';
  return v_sampled;
end
$$;
