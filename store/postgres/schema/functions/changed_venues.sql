-- The venues of a programme of which the one published last said nothing or something else. The others stay as they are: UpsertVenue
-- may have set them since.
--   p_venues  as of store_venues, and so the reply
create or replace function changed_venues(p_venues json) returns json
language sql stable as $$
  select coalesce(json_agg(v.venue order by v.place), '[]')
  from json_array_elements(p_venues) with ordinality v (venue, place)
  left join published_venue p on p.venue_id = v.venue ->> 'venue_id'
  where p.digest is distinct from venue_digest(v.venue)
$$;
