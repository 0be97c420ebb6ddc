-- What programme_version.venues has for the venues of a document.
--   p_venues  as of store_venues; the gateway always writes the same text for the same venue
create or replace function venue_digests(p_venues json) returns jsonb
language sql immutable as $$
  select coalesce(jsonb_object_agg(v.venue ->> 'venue_id', encode(sha256(convert_to(v.venue::text, 'UTF8')), 'hex')), '{}')
  from json_array_elements(p_venues) v (venue)
$$;
