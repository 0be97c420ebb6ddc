-- The tables of the ledger. The functions that work on them are in ../functions.
-- Ids are compared by their bytes (collate "C"), so that the order of locks is the same on every server, whatever its locale.

create type calculation_status as enum ('applied', 'unchanged', 'member_not_found');
create type calculation_state as enum ('open', 'finalised', 'abandoned', 'superseded', 'expired');

create table calculation (
  calculation_id uuid primary key,
  supersedes_calculation_id uuid,
  net_before bigint not null,
  net_after bigint not null,
  loyalty_discount_total bigint not null,
  answered_at timestamptz not null,
  expires_at timestamptz not null,
  programme_version integer not null,
  -- The partition of calculation_body that holds its body.
  body_day date not null,
  state calculation_state not null default 'open',
  status calculation_status not null,
  optimal boolean not null,
  gap bigint not null default 0,
  carried bigint not null default 0,
  confirmed boolean not null,
  replayed boolean not null default false,
  venue_id text collate "C" not null,
  bax_id text collate "C" not null,
  cash_register_id text collate "C",
  channel text not null,
  currency text not null,
  requested_at text not null,
  reason text,
  -- Null also where text cannot hold the id sent.
  loyalty_id text collate "C",
  member_id text collate "C",
  -- JSON of the earning rules' counts of the basket as returned and as sent (earning_rules). Null: nothing.
  earning text,
  spending text,
  gave text,
  -- JSON rows of [experiment, arm, 1 if it withholds an open benefit, else 0]. Null: its basket is in none.
  entered text
);
create index calculation_expiry on calculation (expires_at) where state = 'open';
create index calculation_superseder on calculation (supersedes_calculation_id) where supersedes_calculation_id is not null;
create index calculation_age on calculation (answered_at, calculation_id);
create index calculation_of_venue on calculation (venue_id, answered_at, calculation_id) where net_before >= 0;
create index calculation_of_member on calculation (member_id, answered_at, calculation_id) where member_id is not null;
create index calculation_of_loyalty_id on calculation (loyalty_id, answered_at, calculation_id) where loyalty_id is not null;

-- Request, answer and explanation of a calculation. A partition per day (UTC), created ahead (ensure_partitions) and dropped whole
-- (drop_partitions).
create table calculation_body (
  day date not null,
  calculation_id uuid not null,
  digest bytea not null,
  packed bytea not null,
  inputs bytea not null,
  explanation bytea not null,
  primary key (calculation_id, day)
) partition by range (day);
-- Both are compressed already.
alter table calculation_body alter column packed set storage external;
alter table calculation_body alter column explanation set storage external;

create type reservation_state as enum ('open', 'used', 'late', 'released');

create table limit_counter (
  counter_id bigint generated always as identity primary key,
  used bigint not null default 0 check (used >= 0),
  open bigint not null default 0 check (open >= 0),
  late bigint not null default 0 check (late >= 0),
  -- As in the programme of the last calculation that reserved units.
  maximum bigint not null,
  limit_id text collate "C" not null,
  subject text collate "C" not null,
  period text collate "C" not null,
  -- The part of `used` and `late` whose calculations were deleted (prune_records).
  pruned_used bigint not null default 0,
  pruned_late bigint not null default 0,
  -- The part of `used` and `open` that came with merged members: together they may have passed the maximum.
  merged bigint not null default 0,
  announced integer not null default 0,
  -- A counter begins with nothing taken.
  created_at timestamptz not null default clock_timestamp(),
  unique (limit_id, subject, period)
) with (fillfactor = 50);
create index limit_counter_subject on limit_counter (subject, limit_id, period) where subject <> '';
-- Read with each member (member_hints).
create index limit_counter_birthday on limit_counter (subject, limit_id, period) where period like 'birthday-%';

-- The units that a calculation has of a counter. Changes only under the lock of its counter. No foreign keys: the functions that
-- write here have both rows, and the check would cost each confirmation two more look-ups.
create table reservation (
  calculation_id uuid not null,
  counter_id bigint not null,
  units bigint not null check (units > 0),
  -- Null unless open. The index below has this as its predicate and not the state: statements ask for the state in look-ups by
  -- calculation, and the planner would choose an index that is still small for them, and later read all of a hot counter.
  held_until timestamptz,
  state reservation_state not null default 'open',
  primary key (calculation_id, counter_id),
  check ((held_until is not null) = (state = 'open'))
);
create index reservation_held on reservation (counter_id, held_until) where held_until is not null;
-- `units > 0` is always true; only the recount asks for it, so no other statement uses this index.
create index reservation_of_counter on reservation (counter_id) where units > 0;

-- Taken units of the counters of limits for everyone or a venue, every ten minutes where they change (sample_limits). Older than a day,
-- the last of every six hours stays; older than a week, the newest.
create table limit_sample (
  counter_id bigint not null,
  at timestamptz not null,
  taken bigint not null,
  primary key (counter_id, at)
);

-- When samples were last taken. One row; the session that locks it takes them.
create table limit_sampling (
  id integer primary key default 1 check (id = 1),
  sampled_at timestamptz not null default '-infinity'
);
insert into limit_sampling default values;

create table recount (
  id integer primary key default 1 check (id = 1),
  next_counter bigint not null default 0,
  next_account bigint not null default 0,
  counters bigint not null default 0,
  accounts bigint not null default 0,
  differences bigint not null default 0,
  -- Counters and accounts with more rows than a slice may read: only `lps reconcile` compares them.
  passed_over bigint not null default 0,
  sliced_at timestamptz not null default 'epoch',
  -- From here: the last complete round.
  ended_at timestamptz,
  last_counters bigint not null default 0,
  last_accounts bigint not null default 0,
  last_differences bigint not null default 0,
  last_passed_over bigint not null default 0
);
insert into recount default values;
