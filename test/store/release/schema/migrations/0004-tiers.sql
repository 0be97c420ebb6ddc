-- Visits of members, and the tiers that they reach.

-- How many sales of a member were recorded: applied, unchanged or failed.
create table member_visits (
  member_id text collate "C" primary key,
  -- 0: only locked so far (lock_visits).
  visits bigint not null check (visits >= 0)
) with (fillfactor = 80);

-- The tiers of the programme in force.
create table value_tier (
  tier_id text collate "C" primary key,
  rank integer not null unique,
  currency_id text collate "C" not null,
  -- What must be earned within so many months.
  amount bigint not null check (amount > 0),
  window_months integer not null,
  -- After the day on which it was last qualified for.
  keep_months integer not null
);

-- Tiers that people gave members. One that has ended stays until another is given, or its member is forgotten.
create table given_tier (
  member_id text collate "C" primary key,
  tier_id text collate "C" not null,
  -- Exclusive.
  until timestamptz not null,
  reason text not null
);

-- When the sale was recorded: tiers count from then.
alter table earned add column recorded_at timestamptz not null default clock_timestamp();
create index earned_age on earned (account_id, recorded_at);
