-- Microseconds since the epoch: the full precision of a timestamp, for cursors.
create or replace function microseconds(p_at timestamptz) returns bigint
language sql stable as $$
  select (extract(epoch from p_at) * 1000000)::bigint
$$;
