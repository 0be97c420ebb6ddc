-- Adds the events of limit counters of `everyone` and `venue` of which 80 or 100 % is sold: once for a counter and threshold, even where
-- the maximum changes later.
-- Locks: the caller holds the counters.
create or replace function announce_budgets(p_counters bigint[]) returns void
language plpgsql as $$
declare
  v_counter limit_counter;
  v_percent integer;
begin
  for v_counter in
    select k.* from limit_counter k
    where k.counter_id = any (p_counters) and k.announced < 100 and k.used + k.late >= k.maximum * 0.8
      and (k.announced = 0 or k.used + k.late >= k.maximum)
      -- A member may have the id of a venue: the limit decides.
      and (k.subject = '' or (
        exists (select from venue v where v.venue_id = k.subject) and limit_scope(k.limit_id) is distinct from 'member'
      ))
    order by k.limit_id, k.subject, k.period
  loop
    foreach v_percent in array array[80, 100] loop
      continue when v_percent <= v_counter.announced;
      continue when (v_counter.used + v_counter.late) * 100.0 < v_counter.maximum::numeric * v_percent;
      perform add_event('budget.reached', null, json_build_object(
        'limitId', v_counter.limit_id, 'venueId', nullif(v_counter.subject, ''), 'period', v_counter.period,
        'percent', v_percent, 'used', v_counter.used + v_counter.late, 'maximum', v_counter.maximum
      ));
      update limit_counter k set announced = v_percent where k.counter_id = v_counter.counter_id;
    end loop;
  end loop;
end
$$;
