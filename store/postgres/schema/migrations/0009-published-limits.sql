-- What ledger and venues have to know of the limits of programmes.

-- JSON array of {path, limit_id, counts, venue_ids} of its limits; venue_ids null: its benefit is open everywhere.
alter table programme_version add column limits text not null default '[]';

-- What a limit counts: fixed once published, because its counters go on.
create table published_limit (
  limit_id text collate "C" primary key,
  counts text not null
);
