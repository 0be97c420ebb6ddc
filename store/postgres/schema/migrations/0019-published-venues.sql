-- What the programme published last says of its venues, so that the next one leaves alone what it does not change.

create table published_venue (
  venue_id text primary key,
  -- SHA-256 of the entry, as store_venues gets it.
  digest bytea not null
);
