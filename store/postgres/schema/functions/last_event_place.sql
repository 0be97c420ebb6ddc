-- The last place that was given in the feed of events; 0: none yet.
create or replace function last_event_place() returns bigint
language sql volatile as $$
  select coalesce((select e.place from event e where e.place is not null order by e.place desc limit 1), 0)
$$;
