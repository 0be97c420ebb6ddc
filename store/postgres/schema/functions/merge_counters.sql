-- Adds what a member has of its limits to the counters of another, with the reservations.
--   p_venue_limits  limits whose counters belong to venues: a venue may have the same id as the member
-- Replies the counters of both that changed, a JSON array of {limitId, subject, period}.
-- Locks: counters by (limit_id, subject, period); the caller holds both members and the calculations.
create or replace function merge_counters(p_from text, p_into text, p_venue_limits text[]) returns json
language plpgsql as $$
declare
  v_from limit_counter;
  v_into bigint;
  v_names json[] := '{}';
begin
  insert into limit_counter (limit_id, subject, period, maximum)
  select k.limit_id, p_into, k.period, k.maximum from limit_counter k
  where k.subject = p_from and k.limit_id <> all (p_venue_limits)
  order by k.limit_id, k.period
  on conflict do nothing;
  perform 1 from limit_counter k
  where k.subject in (p_from, p_into) and k.limit_id <> all (p_venue_limits)
  order by k.limit_id, k.subject, k.period
  for update;
  for v_from in
    select k.* from limit_counter k where k.subject = p_from and k.limit_id <> all (p_venue_limits) order by k.limit_id, k.period
  loop
    select k.counter_id into strict v_into from limit_counter k
    where k.limit_id = v_from.limit_id and k.subject = p_into and k.period = v_from.period;
    update reservation r set counter_id = v_into where r.counter_id = v_from.counter_id and r.units > 0;
    update limit_counter k
    set used = k.used + v_from.used, open = k.open + v_from.open, late = k.late + v_from.late,
      merged = k.merged + v_from.used + v_from.open, pruned_used = k.pruned_used + v_from.pruned_used,
      pruned_late = k.pruned_late + v_from.pruned_late
    where k.counter_id = v_into;
    delete from limit_counter k where k.counter_id = v_from.counter_id;
    v_names := v_names
      || json_build_object('limitId', v_from.limit_id, 'subject', p_from, 'period', v_from.period)
      || json_build_object('limitId', v_from.limit_id, 'subject', p_into, 'period', v_from.period);
  end loop;
  return to_json(v_names);
end
$$;
