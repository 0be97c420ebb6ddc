create or replace function add_event(p_type text, p_member text, p_body json) returns void
language sql as $$
  insert into event (type, member_id, body) values (p_type, p_member, p_body::text)
$$;

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

create or replace function last_event_place() returns bigint
language sql volatile as $$
  select coalesce((select e.place from event e where e.place is not null order by e.place desc limit 1), 0)
$$;

-- Deletes at most p_max events older than p_days days with their deliveries, the oldest first. Events with an unfinished delivery stay,
-- and so does the last event of the feed: the next place follows its place. Replies how many.
create or replace function prune_events(p_days integer, p_max integer) returns integer
language plpgsql as $$
declare
  v_until timestamptz := clock_timestamp() - make_interval(days => p_days);
  v_places bigint[];
begin
  perform prune_deliveries(p_max);
  -- Events that were never read have no place.
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
