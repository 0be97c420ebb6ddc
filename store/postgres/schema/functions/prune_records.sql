-- Deletes calculations older than p_days days with their reservations and sales, and sales of unknown calculations, the oldest first.
-- - What was used of accounts stays (value_hold), as the movements do.
-- - Counters keep their sums (pruned_*). A counter of a period goes when it has no reservation left.
-- - A calculation that is open, locked by another call, or has a younger sale stays. Sales are read again under the lock, because one may
--   have come since; under the lock none can come.
-- - The last sale of the feed stays: the next place follows its place.
--   p_max  of each kind at most
-- Replies how many calculations and sales were deleted. Locks: calculations, counters, sales, then sums_state.
create or replace function prune_records(p_days integer, p_max integer) returns integer
language plpgsql as $$
declare
  v_until timestamptz := clock_timestamp() - make_interval(days => p_days);
  v_last bigint;
  v_ids uuid[];
  v_counters bigint[];
  v_sales integer;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('loyalty pruning', 0)) then
    return 0;
  end if;
  select s.feed_place into v_last from sale s where s.feed_place is not null order by s.feed_place desc limit 1;
  v_ids := array(
    select c.calculation_id from calculation c
    where c.answered_at < v_until and c.state <> 'open' and not exists (
      select from sale s
      where s.calculation_id = c.calculation_id and (s.recorded_at >= v_until or s.feed_place = v_last)
    )
    order by c.answered_at, c.calculation_id
    limit p_max
  );
  v_ids := array(
    select c.calculation_id from calculation c where c.calculation_id = any (v_ids)
    order by c.calculation_id for update skip locked
  );
  v_ids := array(
    select i.id from unnest(v_ids) i (id)
    where not exists (select from sale s where s.calculation_id = i.id and s.recorded_at >= v_until)
  );
  perform lock_counters(v_ids);

  delete from value_hold h where h.calculation_id = any (v_ids) and h.state = 'released';
  with gone as (
    delete from reservation r where r.calculation_id = any (v_ids) returning r.counter_id, r.state, r.units
  ), sums as (
    select g.counter_id, coalesce(sum(g.units) filter (where g.state = 'used'), 0)::bigint as used,
      coalesce(sum(g.units) filter (where g.state = 'late'), 0)::bigint as late
    from gone g group by g.counter_id
  ), kept as (
    update limit_counter k set pruned_used = k.pruned_used + s.used, pruned_late = k.pruned_late + s.late
    from sums s where k.counter_id = s.counter_id
    returning k.counter_id
  )
  select array_agg(counter_id) into v_counters from kept;
  delete from limit_counter k
  where k.counter_id = any (v_counters) and k.period <> '' and k.open = 0 and k.used = k.pruned_used and k.late = k.pruned_late
    and not exists (select from reservation r where r.counter_id = k.counter_id and r.units > 0);

  delete from sale s where s.calculation_id = any (v_ids) or s.calculation_id = any (array(
    select u.calculation_id from sale u
    where u.recorded_at < v_until and (u.feed_place = v_last) is not true
      and not exists (select from calculation c where c.calculation_id = u.calculation_id)
    order by u.recorded_at, u.calculation_id
    limit p_max
  ));
  get diagnostics v_sales = row_count;
  delete from calculation c where c.calculation_id = any (v_ids);
  if cardinality(v_ids) + v_sales > 0 then
    update sums_state t set pruned_before = v_until where t.pruned_before < v_until;
  end if;
  return cardinality(v_ids) + v_sales;
end
$$;
