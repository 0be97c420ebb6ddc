-- Whole milliseconds since the epoch.
create or replace function milliseconds(p_at timestamptz) returns float8
language sql stable as $$
  select floor(extract(epoch from p_at) * 1000)::float8
$$;
