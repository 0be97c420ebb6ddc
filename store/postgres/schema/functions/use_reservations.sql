-- Moves the units that a calculation reserved from open to used, and announces budgets (announce_budgets).
-- Locks: the caller holds those of the calculation and its counters.
create or replace function use_reservations(p_calculation uuid) returns void
language plpgsql as $$
declare
  v_counters bigint[];
begin
  with used as (
    update reservation r set state = 'used', held_until = null
    where r.calculation_id = p_calculation and r.state = 'open'
    returning r.counter_id, r.units
  ), counted as (
    update limit_counter k set open = k.open - u.units, used = k.used + u.units
    from used u
    where k.counter_id = u.counter_id
    returning k.counter_id
  )
  select array_agg(counter_id) into v_counters from counted;
  if v_counters is not null then
    perform announce_budgets(v_counters);
  end if;
end
$$;
