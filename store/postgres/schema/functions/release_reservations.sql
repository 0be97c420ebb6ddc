-- Releases the open reservations of these calculations.
-- Replies the counters that got units back. Locks: the caller holds those of the calculations and their counters.
create or replace function release_reservations(p_calculations uuid[]) returns bigint[]
language plpgsql as $$
declare
  v_counters bigint[];
begin
  with released as (
    update reservation r set state = 'released', held_until = null
    where r.calculation_id = any (p_calculations) and r.state = 'open'
    returning r.counter_id, r.units
  ), given as (
    update limit_counter k set open = k.open - s.units
    from (select counter_id, sum(units)::bigint as units from released group by counter_id) s
    where k.counter_id = s.counter_id
    returning k.counter_id
  )
  select coalesce(array_agg(counter_id), '{}') into v_counters from given;
  return v_counters;
end
$$;
