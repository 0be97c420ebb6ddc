-- Stores venues; a baxId moves to the venue that names it. Writes every venue that this changes to the change feed.
--   p_venues  JSON array of {venue_id, body, bax_ids}
-- Every row is looked up by its key: an import must not become slower with each batch. Locks: the caller holds lock_changes.
create or replace function store_venues(p_venues json) returns void
language plpgsql as $$
declare
  v_changed text[];
  v_moved text[];
begin
  with stored as (
    insert into venue (venue_id, body)
    select v.venue_id, v.body from json_to_recordset(p_venues) as v (venue_id text, body text)
    on conflict (venue_id) do update set
      body = excluded.body,
      zone_since = case when venue.time_zone is distinct from excluded.time_zone then clock_timestamp() else venue.zone_since end
    where venue.body <> excluded.body
    returning venue_id
  )
  select coalesce(array_agg(venue_id), '{}') into v_changed from stored;

  with wanted as (
    select v.venue_id, b.bax_id
    from json_to_recordset(p_venues) as v (venue_id text, bax_ids json), json_array_elements_text(v.bax_ids) b (bax_id)
  ), had as (
    select x.bax_id, x.venue_id from wanted w join bax x on x.bax_id = w.bax_id
    union
    select x.bax_id, x.venue_id
    from json_to_recordset(p_venues) as v (venue_id text) join bax x on x.venue_id = v.venue_id
  ), lost as (
    delete from bax x using (select bax_id from had except select bax_id from wanted) l where x.bax_id = l.bax_id
  ), gained as (
    insert into bax (bax_id, venue_id) select bax_id, venue_id from wanted
    on conflict (bax_id) do update set venue_id = excluded.venue_id where bax.venue_id <> excluded.venue_id
  ), moved as (
    (select bax_id, venue_id from wanted except select bax_id, venue_id from had)
    union (select bax_id, venue_id from had except select bax_id, venue_id from wanted)
  )
  select coalesce(array_agg(venue_id), '{}') into v_moved from moved;

  insert into change (kind, id)
  select 'venue', u.id from (select distinct unnest(v_changed || v_moved) as id) u order by u.id;
end
$$;
