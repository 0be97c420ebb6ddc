-- Events of tiers that members reach and lose.

-- The tier that was announced last of a member that has one, given or earned. Changes only under the lock of the member's visits.
create table announced_tier (
  member_id text collate "C" primary key,
  tier_id text collate "C" not null,
  -- It cannot end before this, if its tier stays in the programme as it is.
  lapses_at timestamptz not null
);
create index announced_tier_lapse on announced_tier (lapses_at);
