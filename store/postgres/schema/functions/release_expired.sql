-- Releases the expired reservations of these counters, whichever calculation has them.
-- Locks: the caller holds those of the counters.
create or replace function release_expired(p_counters bigint[]) returns void
language plpgsql as $$
declare
  -- In a variable: a volatile function is no index condition.
  v_now timestamptz := clock_timestamp();
begin
  with released as (
    update reservation r set state = 'released', held_until = null
    where r.counter_id = any (p_counters) and r.held_until <= v_now
    returning r.counter_id, r.units
  )
  update limit_counter k set open = k.open - s.units
  from (select counter_id, sum(units)::bigint as units from released group by counter_id) s
  where k.counter_id = s.counter_id;
end
$$;
