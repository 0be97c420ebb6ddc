-- Deletes events older than p_days days with their deliveries, the oldest first. What a webhook has not finished stays, and so does the
-- last event of the feed: the next place follows its place.
--   p_max  events at most
-- Replies how many were deleted.
create or replace function prune_events(p_days integer, p_max integer) returns integer
language plpgsql as $$
declare
  v_until timestamptz := clock_timestamp() - make_interval(days => p_days);
  v_places bigint[];
begin
  perform prune_deliveries(p_max);
  -- Events that nobody has read have no place.
  perform place_events(p_max);
  v_places := array(
    select o.place
    from (
      select e.place, e.at from event e
      where e.place is not null and e.place < last_event_place()
      order by e.place limit p_max
    ) o
    where o.at < v_until
      and o.place <= coalesce((select min(w.place) from webhook w where w.disabled_at is null), o.place)
      and not exists (
        select from delivery d join webhook w on w.webhook_id = d.webhook_id
        where d.place = o.place and d.state in ('waiting', 'due')
      )
  );
  delete from delivery d where d.place = any (v_places);
  delete from event e where e.place is not null and e.place = any (v_places);
  return cardinality(v_places);
end
$$;
