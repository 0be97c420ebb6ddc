-- Adds sales to the daily sums, the oldest first; one transaction at a time does so.
-- A sale gets recorded_at after its transaction got its number, and next_xid was given out after next_at: so once no transaction below
-- next_xid runs, every sale recorded before next_at is visible, and none can appear behind the place that was summed.
--   p_max  sales at most
-- Replies how many were added. Locks: sales without a calculation, so that none joins one meanwhile.
create or replace function sum_sales(p_max integer) returns integer
language plpgsql as $$
declare
  -- Both before anything is written or locked: from then on this transaction has a number, and counts as running.
  v_began timestamptz := clock_timestamp();
  v_running xid8 := pg_snapshot_xmin(pg_current_snapshot());
  v_state sums_state;
  v_new uuid[];
  v_given uuid[];
  v_earning uuid[];
  v_last timestamptz;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('loyalty sums', 0)) then
    return 0;
  end if;
  select * into strict v_state from sums_state;
  if not exists (select from unsummed_sales('infinity', 1)) then
    return 0;
  end if;
  if v_running < v_state.next_xid then
    if v_state.next_xid > pg_snapshot_xmax(pg_current_snapshot()) then
      -- Restored from a dump, into a database that counts its transactions anew.
      perform mark_sums(v_began);
    end if;
    return 0;
  end if;

  perform 1
  from unsummed_sales(v_state.next_at, p_max) u join sale s on s.calculation_id = u.calculation_id
  where s.result = 'unknown_calculation' and s.joined_at is null
  order by s.calculation_id
  for share of s;
  select coalesce(array_agg(u.calculation_id order by u.recorded_at, u.calculation_id) filter (where not u.is_joined), '{}'),
    coalesce(array_agg(u.calculation_id), '{}'), coalesce(array_agg(u.calculation_id) filter (where u.earns), '{}'),
    max(u.recorded_at) filter (where not u.is_joined)
  into v_new, v_given, v_earning, v_last
  from unsummed_sales(v_state.next_at, p_max) u;
  perform add_sums(v_new, v_given, v_earning);
  delete from joined_sale j where j.calculation_id = any (v_given);
  if cardinality(v_new) = p_max then
    update sums_state set summed_at = v_last, summed_id = v_new[p_max];
  else
    update sums_state t set summed_at = t.next_at, summed_id = '00000000-0000-0000-0000-000000000000'
    where t.next_at > t.summed_at;
    perform mark_sums(v_began);
  end if;
  return cardinality(v_given);
end
$$;
