-- Counts the released reservations of a calculation as used late, beyond the maximum if necessary, and announces budgets.
-- Replies whether that exceeded a maximum. The calculation has no open reservation.
-- Locks: the caller holds those of the calculation and its counters.
create or replace function use_late(p_calculation uuid) returns boolean
language plpgsql as $$
declare
  v_counters bigint[];
begin
  with used as (
    update reservation r set state = 'late'
    where r.calculation_id = p_calculation and r.state = 'released'
    returning r.counter_id, r.units
  ), counted as (
    update limit_counter k set late = k.late + u.units
    from used u
    where k.counter_id = u.counter_id
    returning k.counter_id
  )
  select coalesce(array_agg(counter_id), '{}') into v_counters from counted;
  perform announce_budgets(v_counters);
  perform release_expired(v_counters);
  return exists (
    select from limit_counter k where k.counter_id = any (v_counters) and k.used + k.late + k.open > k.maximum
  );
end
$$;
