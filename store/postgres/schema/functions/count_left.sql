-- The units left of each counter.
--   p_counters, p_units, p_maxima  parallel: counter, units wanted, maximum now
--   p_freeing  calculation whose open reservations count as left; null: none
-- Replies a JSON array of {limitId, subject, period, left} where a counter has too few; null: all have enough.
-- Locks: the caller holds those of the counters.
create or replace function count_left(p_counters bigint[], p_units bigint[], p_maxima bigint[], p_freeing uuid) returns json
language plpgsql as $$
declare
  v_left json;
begin
  select case when bool_or(l.units > l.maximum - l.taken) then
    json_agg(json_build_object(
      'limitId', l.limit_id, 'subject', l.subject, 'period', l.period, 'left', greatest(0, l.maximum - l.taken)
    ))
  end
  into v_left
  from (
    select k.limit_id, k.subject, k.period, w.units, w.maximum, k.used + k.late + k.open - coalesce((
      select r.units from reservation r
      where r.calculation_id = p_freeing and r.counter_id = w.counter_id and r.state = 'open'
    ), 0) as taken
    from unnest(p_counters, p_units, p_maxima) as w (counter_id, units, maximum)
    join limit_counter k on k.counter_id = w.counter_id
  ) l;
  return v_left;
end
$$;
