-- Recounts the next counters, and after the last counter the next accounts, unless another gateway does so now or did within p_pause.
--   p_pause    least time since the last slice of any gateway
--   p_budget   no further counter or account is started after this time
--   p_rows     reservations of one counter, or entries of one account, at most; one with more is passed over
--   differing  the differences of this slice
create or replace function recount_slice(p_pause interval, p_budget interval, p_rows integer, out differing text[])
language plpgsql as $$
declare
  v_began timestamptz := clock_timestamp();
  v_state recount;
  v_counter bigint;
  v_account bigint;
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
    if v_counter is null then
      select a.account_id into v_account from account a
      where a.account_id >= v_state.next_account order by a.account_id limit 1;
    end if;
    exit when v_counter is null and v_account is null or clock_timestamp() > v_began + p_budget;
    if v_counter is null then
      select t.passed_over, t.difference into v_passed_over, v_difference from recount_account(v_account, p_rows) t;
      v_state.accounts := v_state.accounts + 1;
      v_state.next_account := v_account + 1;
    else
      select t.passed_over, t.difference into v_passed_over, v_difference from recount_counter(v_counter, p_rows) t;
      v_state.counters := v_state.counters + 1;
      v_state.next_counter := v_counter + 1;
    end if;
    v_state.passed_over := v_state.passed_over + v_passed_over::integer;
    if v_difference is not null then
      v_state.differences := v_state.differences + 1;
      differing := differing || v_difference;
    end if;
  end loop;
  if v_counter is null and v_account is null then
    v_state.ended_at := clock_timestamp();
    v_state.last_counters := v_state.counters;
    v_state.last_accounts := v_state.accounts;
    v_state.last_differences := v_state.differences;
    v_state.last_passed_over := v_state.passed_over;
    v_state.next_counter := 0;
    v_state.next_account := 0;
    v_state.counters := 0;
    v_state.accounts := 0;
    v_state.differences := 0;
    v_state.passed_over := 0;
  end if;
  update recount r set
    next_counter = v_state.next_counter, next_account = v_state.next_account, counters = v_state.counters,
    accounts = v_state.accounts, differences = v_state.differences,
    passed_over = v_state.passed_over, sliced_at = clock_timestamp(), ended_at = v_state.ended_at,
    last_counters = v_state.last_counters, last_accounts = v_state.last_accounts, last_differences = v_state.last_differences,
    last_passed_over = v_state.last_passed_over;
end
$$;
