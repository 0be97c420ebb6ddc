-- Gives places in the feed to events without one, in the order of their ids. Only one transaction at a time does so, each after the
-- commit of the one before: so places become visible in their order. Places have no gaps.
--   p_max  events at most
-- Replies how many got a place.
create or replace function place_events(p_max integer) returns integer
language plpgsql as $$
declare
  v_last bigint;
  v_placed integer;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('loyalty event feed', 0)) then
    return 0;
  end if;
  -- A separate statement: its snapshot must contain the commit of the last lock holder.
  v_last := last_event_place();
  with next as (
    select e.event_id from event e where e.place is null order by e.event_id limit p_max for update skip locked
  ), placed as (
    select n.event_id, row_number() over (order by n.event_id) as place from next n
  )
  update event e set place = v_last + p.place
  from placed p
  where e.event_id = p.event_id;
  get diagnostics v_placed = row_count;
  return v_placed;
end
$$;
