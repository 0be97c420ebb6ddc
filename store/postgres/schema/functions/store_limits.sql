-- Fixes what the limits of a programme count. Those that were published before stay: fixed_faults refuses others.
--   p_limits  as of programme_version.limits. Locks: the caller holds lock_changes.
create or replace function store_limits(p_limits json) returns void
language sql as $$
  insert into published_limit (limit_id, counts)
  select l.limit_id, l.counts from json_to_recordset(p_limits) as l (limit_id text, counts text)
  on conflict (limit_id) do nothing
$$;
