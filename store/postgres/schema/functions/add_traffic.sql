-- Adds what a process counted in minutes; what it has added to a minute before stays.
--   p_minutes  JSON array of {at, outcomes, times}; at: milliseconds since the epoch, others as of traffic_minute
create or replace function add_traffic(p_process uuid, p_minutes json) returns void
language sql as $$
  insert into traffic_minute as t (minute, processes, outcomes, times)
  select date_trunc('minute', to_timestamp(m.at / 1000)), array[p_process], m.outcomes, m.times
  from json_to_recordset(p_minutes) as m (at float8, outcomes jsonb, times jsonb)
  order by m.at
  on conflict (minute) do update set
    processes = t.processes || excluded.processes, outcomes = add_counts(t.outcomes, excluded.outcomes),
    times = add_counts(t.times, excluded.times)
  where not t.processes @> excluded.processes
$$;
