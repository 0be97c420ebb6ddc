-- SHA-256 of an entry of p_venues as store_venues gets it: the gateway always writes the same text for the same venue.
create or replace function venue_digest(p_venue json) returns bytea
language sql immutable as $$
  select sha256(convert_to(p_venue::text, 'UTF8'))
$$;
