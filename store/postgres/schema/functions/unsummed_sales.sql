-- Sales that are not in the daily sums yet, the oldest first, and those whose calculation came later.
--   p_until  only those recorded before; infinity: all that are visible
--   p_max    at most, beside those whose calculation came later; null: all
-- is_joined: it was summed already without its calculation. earns: what it earned is not in the sums; what it earned by itself
-- (earn_unknown) is.
create or replace function unsummed_sales(p_until timestamptz, p_max integer)
returns table (calculation_id uuid, recorded_at timestamptz, is_joined boolean, earns boolean)
language sql stable as $$
  (
    select s.calculation_id, s.recorded_at, false, true
    from sums_state t, sale s
    where (s.recorded_at, s.calculation_id) > (t.summed_at, t.summed_id) and s.recorded_at < p_until
    order by s.recorded_at, s.calculation_id
    limit p_max
  )
  union all
  select s.calculation_id, s.recorded_at, true, s.status <> 'failed'
  from sums_state t, joined_sale j join sale s on s.calculation_id = j.calculation_id
  where (s.recorded_at, s.calculation_id) <= (t.summed_at, t.summed_id)
$$;
