-- The venues of a programme of which the newest version says nothing or something else. The others stay as they are: UpsertVenue may
-- have set them since.
--   p_venues  as of store_venues, and so the reply
create or replace function changed_venues(p_venues json) returns json
language sql stable as $$
  with said as materialized (
    select venue_digests(p_venues) as now, (select v.venues from programme_version v order by v.version desc limit 1) as before
  )
  select coalesce(json_agg(v.venue order by v.place), '[]')
  from said s, json_array_elements(p_venues) with ordinality v (venue, place)
  where s.before -> (v.venue ->> 'venue_id') is distinct from s.now -> (v.venue ->> 'venue_id')
$$;
