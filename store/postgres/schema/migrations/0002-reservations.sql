-- What calculations hold of counters. Statements here look up by calculation or by counter and never ask for a state
-- that an index asks for too, unless they mean that index. Whoever locks does it in one order: new calculations by id, calculations that exist by
-- id, counters by (limit_id, subject, period), sales.

-- Makes this transaction wait for its commit to be durable, on a server that is told not to: what is answered must last.
create function require_durable() returns void
language plpgsql as $$
begin
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;
end
$$;

-- Locks the counters that these calculations hold or held anything of.
create function lock_counters(p_calculations uuid[]) returns void
language plpgsql as $$
begin
  perform 1
  from (select distinct r.counter_id from reservation r where r.calculation_id = any (p_calculations)) h
  join limit_counter k on k.counter_id = h.counter_id
  order by k.limit_id, k.subject, k.period
  for update of k;
end
$$;

-- Gives back what these calculations still hold; replies the counters that got something. Their locks are held.
create function release_reservations(p_calculations uuid[]) returns bigint[]
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

-- Gives back what has expired of these counters, whoever holds it. Their locks are held.
create function release_expired(p_counters bigint[]) returns void
language plpgsql as $$
declare
  -- In a variable: a function that is volatile cannot be looked up in an index.
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

-- Makes what a calculation holds used. The locks of its counters are held.
create function use_reservations(p_calculation uuid) returns void
language plpgsql as $$
begin
  with used as (
    update reservation r set state = 'used', held_until = null
    where r.calculation_id = p_calculation and r.state = 'open'
    returning r.counter_id, r.units
  )
  update limit_counter k set open = k.open - u.units, used = k.used + u.units
  from used u
  where k.counter_id = u.counter_id;
end
$$;

-- Counts what a calculation held as used late, past the maximum if need be; replies whether a maximum is passed by it.
-- The locks of its counters are held and nothing of it is open any more.
create function use_late(p_calculation uuid) returns boolean
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
  perform release_expired(v_counters);
  return exists (
    select from limit_counter k where k.counter_id = any (v_counters) and k.used + k.late + k.open > k.maximum
  );
end
$$;

-- Marks expired calculations and gives back what they hold, at most p_max; replies how many. Rows that somebody works on
-- are left for the next time.
create function expire_calculations(p_max integer) returns integer
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_expired uuid[];
begin
  select coalesce(array_agg(e.calculation_id), '{}') into v_expired from (
    select c.calculation_id from calculation c
    where c.state = 'open' and c.expires_at <= v_now
    order by c.expires_at
    limit p_max
    for update skip locked
  ) e;
  perform lock_counters(v_expired);
  perform release_reservations(v_expired);
  update calculation c set state = 'expired' where c.calculation_id = any (v_expired);
  return cardinality(v_expired);
end
$$;
