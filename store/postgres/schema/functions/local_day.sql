-- The date at a time in an IANA zone; one that this server does not know counts as UTC.
create or replace function local_day(p_at timestamptz, p_zone text) returns date
language plpgsql stable as $$
begin
  return (p_at at time zone coalesce(p_zone, 'UTC'))::date;
exception when invalid_parameter_value then
  return local_day(p_at, 'UTC');
end
$$;
