-- What a version says of its venues, so that a publication leaves alone what it does not change.

-- By venue id the SHA-256, in hexadecimal, of the entry as store_venues gets it. Versions before this migration say nothing.
alter table programme_version add column venues jsonb not null default '{}';
