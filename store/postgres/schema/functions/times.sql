create or replace function microseconds(p_at timestamptz) returns bigint
language sql stable as $$
  select (extract(epoch from p_at) * 1000000)::bigint
$$;

create or replace function milliseconds(p_at timestamptz) returns float8
language sql stable as $$
  select floor(extract(epoch from p_at) * 1000)::float8
$$;

create or replace function moment_of(p_microseconds bigint) returns timestamptz
language sql stable as $$
  select to_timestamp(0) + p_microseconds * interval '1 microsecond'
$$;

-- The day at a time in an IANA zone; an unknown one counts as UTC.
--   p_starts  the time of day before which it is the day before; null: midnight
create or replace function local_day(p_at timestamptz, p_zone text, p_starts interval) returns date
language plpgsql stable as $$
begin
  return (p_at at time zone coalesce(p_zone, 'UTC') - coalesce(p_starts, '0'))::date;
exception when invalid_parameter_value then
  return local_day(p_at, 'UTC', p_starts);
end
$$;

create or replace function iso_time(p_at timestamptz) returns text
language sql stable as $$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
