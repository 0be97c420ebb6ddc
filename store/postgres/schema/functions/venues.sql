-- Stores a venue (p_venues: one, as of store_venues).
-- Replies {"kind":"done","created","changed"} or {"kind":"mixed_money","path","currencies"}: a limit of the newest programme counts money
-- at other venues, in these currencies.
create or replace function change_venue(p_by change_context, p_venues json) returns json
language plpgsql as $$
declare
  v_mixed record;
  v_counts record;
begin
  perform lock_changes();
  select m.path, array_remove(m.currencies, substring(p_venues -> 0 ->> 'body' from '"currency":"([A-Z]{3})"')) as currencies
  into v_mixed
  from mixed_money((select v.limits::json from programme_version v order by v.version desc limit 1), p_venues) m
  order by m.place limit 1;
  perform refuse(json_build_object('kind', 'mixed_money', 'path', v_mixed.path, 'currencies', v_mixed.currencies)) where found;
  select c.* into v_counts from apply_venues(p_venues, p_by) c;
  return json_build_object(
    'kind', 'done', 'created', v_counts.created > 0, 'changed', v_counts.changed > 0
  );
end
$$;

create or replace function apply_venues(p_venues json, p_by change_context, out created integer, out changed integer)
language plpgsql as $$
declare
  v_named text[] := array(select v.venue_id from json_to_recordset(p_venues) as v (venue_id text));
  v_ids text[];
  v_before text[];
begin
  perform lock_changes();
  v_ids := array(
    select unnest(v_named)
    union
    select x.venue_id
    from json_to_recordset(p_venues) as v (bax_ids json), json_array_elements_text(v.bax_ids) b (bax_id)
    join bax x on x.bax_id = b.bax_id
  );
  v_before := array(select venue_snapshot(i.id) from unnest(v_ids) with ordinality i (id, place) order by i.place);
  perform store_venues(p_venues);
  select a.* into created, changed
  from add_audits(p_by, 'venue', v_ids, v_before, array(
    select venue_snapshot(i.id) from unnest(v_ids) with ordinality i (id, place) order by i.place
  ), v_named) a;
end
$$;

-- The venues of a programme that the newest version lacks or has with other content. The others stay: UpsertVenue may have set them.
create or replace function changed_venues(p_venues json) returns json
language sql stable as $$
  with said as materialized (
    select venue_digests(p_venues) as now, (select v.venues from programme_version v order by v.version desc limit 1) as before
  )
  select coalesce(json_agg(v.venue order by v.place), '[]')
  from said s, json_array_elements(p_venues) with ordinality v (venue, place)
  where s.before -> (v.venue ->> 'venue_id') is distinct from s.now -> (v.venue ->> 'venue_id')
$$;

-- Stores venues ({venue_id, body, bax_ids}); a baxId moves to the venue that names it. Writes every venue that this changes to the change
-- feed. Every row is looked up by its key: an import must not become slower with each batch.
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
      zone_since = case
        when (venue.time_zone, venue.day_starts) is distinct from (excluded.time_zone, excluded.day_starts) then clock_timestamp()
        else venue.zone_since
      end
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

-- The value of programme_version.venues for venues as of store_venues; the gateway always writes the same text for the same venue.
create or replace function venue_digests(p_venues json) returns jsonb
language sql immutable as $$
  select coalesce(jsonb_object_agg(v.venue ->> 'venue_id', encode(sha256(convert_to(v.venue::text, 'UTF8')), 'hex')), '{}')
  from json_array_elements(p_venues) v (venue)
$$;

create or replace function venue_snapshot(p_venue text) returns text
language sql stable as $$
  select '{"baxIds":' || coalesce((
      select json_agg(b.bax_id order by b.bax_id)::text from bax b where b.venue_id = v.venue_id
    ), '[]') || ',"profile":' || v.body || '}'
  from venue v where v.venue_id = p_venue
$$;
