-- Recounts the next counters, unless another gateway does so now or did within p_pause.
--   p_pause    least time since the last slice of any gateway
--   p_budget   no further counter is started after this time
--   p_rows     reservations of one counter at most; a counter with more is passed over
--   differing  the differences of this slice
create or replace function recount_slice(p_pause interval, p_budget interval, p_rows integer, out differing text[])
language plpgsql as $$
declare
  v_began timestamptz := clock_timestamp();
  v_state recount;
  v_counter bigint;
  v_passed_over boolean;
  v_difference text;
begin
  differing := '{}';
  if not pg_try_advisory_xact_lock(hashtextextended('loyalty recount', 0)) then
    return;
  end if;
  select r.* into strict v_state from recount r;
  if v_state.sliced_at > v_began - p_pause then
    return;
  end if;
  loop
    select k.counter_id into v_counter from limit_counter k
    where k.counter_id >= v_state.next_counter order by k.counter_id limit 1;
    exit when v_counter is null or clock_timestamp() > v_began + p_budget;
    select t.passed_over, t.difference into v_passed_over, v_difference from recount_counter(v_counter, p_rows) t;
    v_state.counters := v_state.counters + 1;
    v_state.passed_over := v_state.passed_over + v_passed_over::integer;
    if v_difference is not null then
      v_state.differences := v_state.differences + 1;
      differing := differing || v_difference;
    end if;
    v_state.next_counter := v_counter + 1;
  end loop;
  if v_counter is null then
    v_state.ended_at := clock_timestamp();
    v_state.last_counters := v_state.counters;
    v_state.last_differences := v_state.differences;
    v_state.last_passed_over := v_state.passed_over;
    v_state.next_counter := 0;
    v_state.counters := 0;
    v_state.differences := 0;
    v_state.passed_over := 0;
  end if;
  update recount r set
    next_counter = v_state.next_counter, counters = v_state.counters, differences = v_state.differences,
    passed_over = v_state.passed_over, sliced_at = clock_timestamp(), ended_at = v_state.ended_at,
    last_counters = v_state.last_counters, last_differences = v_state.last_differences,
    last_passed_over = v_state.last_passed_over;
end
$$;
