-- A gateway reports its state and receives that of the others. Without news this only reads; the lease is renewed when a third of it has passed.
--   p_flushed          the wish through which its own answers are in the ledger
--   p_wish             whether it adds a wish
--   wished             the newest wish, its own included
--   flushed_by_others  the wish through which all others are flushed; null: no other gateway answers from Redis
-- A gateway counts as gone when its lease is over, but only after the reporting one has held its own for a full lease: before that, the
-- ledger may have been out of reach for all.
create or replace function report_gateway(
  p_gateway uuid, p_uses_cache boolean, p_flushed bigint, p_wish boolean, p_lease_ms integer,
  out wished bigint, out flushed_by_others bigint
)
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_lease interval := make_interval(secs => p_lease_ms / 1000.0);
  v_own gateway;
begin
  select f.number into wished from flush_wish f;
  -- A promoted standby may lack the newest wishes. A flush for a lost wish does not cover later ones.
  if p_flushed > wished then
    p_flushed := 0;
  end if;
  select g.* into v_own from gateway g where g.gateway_id = p_gateway;
  if not found or v_own.held_until not between v_now + v_lease * 2 / 3 and v_now + v_lease
    or v_own.uses_cache <> p_uses_cache or v_own.flushed_through <> p_flushed
  then
    -- One that is gone for this gateway is so also after this one has rested, which begins its lease anew.
    delete from gateway g where g.held_until < v_now - interval '1 hour'
      or v_own.held_since + v_lease <= v_now and v_own.held_until >= v_now and g.held_until < v_now - v_lease;
    insert into gateway as g (gateway_id, held_since, held_until, uses_cache, flushed_through)
    values (p_gateway, v_now, v_now + v_lease, p_uses_cache, p_flushed)
    on conflict (gateway_id) do update set
      held_since = case when g.held_until < v_now then v_now else g.held_since end,
      held_until = excluded.held_until, uses_cache = excluded.uses_cache, flushed_through = excluded.flushed_through
    returning g.* into v_own;
  end if;
  if p_wish then
    update flush_wish f set number = f.number + 1 returning f.number into wished;
  end if;
  select min(g.flushed_through) into flushed_by_others
  from gateway g
  where g.gateway_id <> p_gateway and g.uses_cache
    and (g.held_until >= v_now or v_own.held_since + v_lease > v_now);
end
$$;

-- Adds a process's counts of minutes ({at, outcomes, times, calls}; at in milliseconds), once for each minute. A minute that was not
-- failing without them is judged again.
create or replace function add_traffic(p_process uuid, p_minutes json) returns void
language sql as $$
  insert into traffic_minute as t (minute, processes, outcomes, times, calls)
  select date_trunc('minute', to_timestamp(m.at / 1000)), array[p_process], m.outcomes, m.times, m.calls
  from json_to_recordset(p_minutes) as m (at float8, outcomes jsonb, times jsonb, calls jsonb)
  order by m.at
  on conflict (minute) do update set
    processes = t.processes || excluded.processes, outcomes = add_counts(t.outcomes, excluded.outcomes),
    times = add_counts(t.times, excluded.times), calls = add_counts(t.calls, excluded.calls), is_failing = nullif(t.is_failing, false)
  where not t.processes @> excluded.processes
$$;

-- Judges the minutes for which every gateway in reach has had time to add its counts: an event is added for the first of failing minutes in
-- a row. Minutes without calls are passed over, up to an hour. Older ones than three hours no gateway adds: it keeps two.
create or replace function judge_minutes() returns void
language plpgsql as $$
declare
  v_minute timestamptz;
  v_calls bigint;
  v_errors bigint;
  v_is_failing boolean;
begin
  for v_minute, v_calls, v_errors in
    select t.minute, (t.calls ->> 'all')::bigint, error_count(t.calls) from traffic_minute t
    where t.minute between clock_timestamp() - interval '3 hours' and clock_timestamp() - interval '80 seconds' and t.is_failing is null
    order by t.minute for update skip locked
  loop
    v_is_failing := coalesce(v_errors > v_calls * 0.01, false);
    update traffic_minute t set is_failing = v_is_failing where t.minute = v_minute;
    -- Late counts may make a minute fail before one that was announced.
    if v_is_failing and not exists (
      select from (
        select distinct on (t.minute > v_minute) t.is_failing from traffic_minute t
        where t.minute between v_minute - interval '1 hour' and v_minute + interval '1 hour' and t.minute <> v_minute
          and (t.calls ->> 'all')::bigint > 0
        order by t.minute > v_minute, abs(extract(epoch from t.minute - v_minute))
      ) n
      where n.is_failing
    ) then
      perform add_event('service.failing', null, json_build_object(
        'minute', iso_time(v_minute), 'calls', v_calls, 'errors', v_errors
      ));
    end if;
  end loop;
end
$$;

-- The calls with an error among counts of table traffic_minute; late answers and times are counted there too.
create or replace function error_count(p_calls jsonb) returns bigint
language sql immutable as $$
  select coalesce(sum(c.count), 0)::bigint
  from (
    select case when a.key <> 'all' then a.key::jsonb ->> 2 else '' end as code, a.value::bigint as count from jsonb_each_text(p_calls) a
  ) c
  where c.code not in ('', 'slow') and left(c.code, 2) <> '<='
$$;

create or replace function add_counts(p_one jsonb, p_other jsonb) returns jsonb
language sql immutable as $$
  select coalesce(jsonb_object_agg(s.name, s.count), '{}')
  from (
    select c.key as name, sum(c.value::bigint) as count
    from (select * from jsonb_each_text(p_one) union all select * from jsonb_each_text(p_other)) c
    group by c.key
  ) s
$$;
