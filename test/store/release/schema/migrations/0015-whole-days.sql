-- Of which days the sales can be compared with the daily sums, which stay as they were added.

-- Records before this moment may be deleted (prune_records).
alter table sums_state add column pruned_before timestamptz not null default '-infinity';

-- Since when the venue has its time zone: earlier sales may have counted on another day.
alter table venue add column zone_since timestamptz not null default clock_timestamp();
