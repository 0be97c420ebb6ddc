-- The timestamp of microseconds since the epoch; the inverse of microseconds.
create or replace function moment_of(p_microseconds bigint) returns timestamptz
language sql stable as $$
  select to_timestamp(0) + p_microseconds * interval '1 microsecond'
$$;
