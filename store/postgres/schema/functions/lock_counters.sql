-- Locks the counters of which these calculations hold, or held, units.
-- Locks: counters by (limit_id, subject, period); the calculations are locked already.
create or replace function lock_counters(p_calculations uuid[]) returns void
language plpgsql as $$
begin
  perform 1
  from (select distinct r.counter_id from reservation r where r.calculation_id = any (p_calculations)) h
  join limit_counter k on k.counter_id = h.counter_id
  order by k.limit_id, k.subject, k.period
  for update of k;
end
$$;
