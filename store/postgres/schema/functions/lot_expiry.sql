-- When a lot of what a sale earns expires, by the calendar of the sale's venue.
--   p_at       when the sale was recorded
--   p_zone     IANA name; null, or one that this server does not know, counts as UTC, so that no sale fails because of it
--   p_expires  {unit: months or days, after, atEndOf: null, day, week, month or year}; null: never
-- Replies infinity for never. 31 January and a month is the last day of February; `atEndOf` is the first moment after.
create or replace function lot_expiry(p_at timestamptz, p_zone text, p_expires json) returns timestamptz
language plpgsql stable as $$
declare
  v_end timestamp;
  v_next timestamptz;
begin
  if p_expires is null then
    return 'infinity';
  end if;
  p_zone := coalesce(p_zone, 'UTC');
  v_end := (p_at at time zone p_zone) + (p_expires ->> 'after')::integer
    * case p_expires ->> 'unit' when 'months' then interval '1 month' else interval '1 day' end;
  if p_expires ->> 'atEndOf' is null then
    return v_end at time zone p_zone;
  end if;
  v_end := date_trunc(p_expires ->> 'atEndOf', v_end) + ('1 ' || (p_expires ->> 'atEndOf'))::interval;
  -- Where clocks go back over midnight, it comes twice, and this is the second.
  v_next := v_end at time zone p_zone;
  return case when (v_next - interval '1 hour') at time zone p_zone >= v_end then v_next - interval '1 hour' else v_next end;
exception when invalid_parameter_value then
  return lot_expiry(p_at, 'UTC', p_expires);
end
$$;
