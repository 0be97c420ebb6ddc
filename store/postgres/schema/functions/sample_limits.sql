-- Samples what is taken of counters, where the last sample is so old, and no other transaction does so now. A counter of which nothing was
-- taken since its last sample gets one every twelve hours.
--   p_counters  JSON array of {limitId, isOfVenue, periods}: limits for everyone or a venue with the periods that it is now
-- Replies how many samples it took. Locks: limit_sampling.
create or replace function sample_limits(p_counters json, p_every interval) returns integer
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_day timestamptz := v_now - interval '25 hours';
  v_week timestamptz := v_now - interval '7 days 6 hours';
  v_sampled integer;
begin
  perform 1 from limit_sampling g where g.sampled_at <= v_now - p_every for update skip locked;
  if not found then
    return 0;
  end if;
  update limit_sampling set sampled_at = v_now;

  insert into limit_sample (counter_id, at, taken)
  select k.counter_id, v_now, k.used + k.late + k.open
  from json_to_recordset(p_counters) as f ("limitId" text, "isOfVenue" boolean, periods json)
  cross join lateral (
    select '' as subject where not f."isOfVenue" union all select v.venue_id from venue v where f."isOfVenue"
  ) s
  cross join lateral json_array_elements_text(f.periods) p (period)
  join limit_counter k on k.limit_id = f."limitId" and k.subject = s.subject and k.period = p.period
  left join lateral (
    select l.at, l.taken from limit_sample l where l.counter_id = k.counter_id order by l.at desc limit 1
  ) l on true
  where (k.used + k.late + k.open) is distinct from l.taken or l.at < v_now - interval '12 hours'
  on conflict do nothing;
  get diagnostics v_sampled = row_count;

  delete from limit_sample d
  where d.at < v_day and exists (
    select from limit_sample n
    where n.counter_id = d.counter_id and n.at > d.at
      and (n.at < v_week or (n.at < v_day and date_bin('6 hours', n.at, 'epoch') = date_bin('6 hours', d.at, 'epoch')))
  );
  -- Of counters whose period is over.
  delete from limit_sample d where d.at < v_now - interval '8 days';
  return v_sampled;
end
$$;
