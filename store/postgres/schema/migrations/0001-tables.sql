-- The tables of the ledger. Ids are compared by their bytes (collate "C") everywhere, so that one order of locks holds on
-- every server, whatever its locale.

create type calculation_status as enum ('applied', 'unchanged', 'member_not_found');
create type calculation_state as enum ('open', 'finalised', 'abandoned', 'superseded', 'expired');
create type reservation_state as enum ('open', 'used', 'late', 'released');
create type sale_status as enum ('applied', 'unchanged', 'member_not_found', 'failed', 'cancelled');
create type sale_result as enum ('recorded', 'unknown_calculation');
create type change_kind as enum ('programme', 'venue', 'member');

create table programme_version (
  version integer primary key,
  -- SHA-256 of the document in canonical form: the same content is not published twice in a row.
  content_digest bytea not null,
  document text not null,
  benefits text not null,
  published_at timestamptz not null default clock_timestamp()
);

-- JSON stays text: jsonb refuses what a receipt text may hold, such as U+0000.
create table venue (
  venue_id text collate "C" primary key,
  body text not null
);

create table bax (
  bax_id text collate "C" primary key,
  venue_id text collate "C" not null references venue
);
create index bax_of_venue on bax (venue_id);

create table member (
  member_id text collate "C" primary key,
  body text not null
);

create table member_loyalty_id (
  loyalty_id text collate "C" primary key,
  member_id text collate "C" not null references member
);
create index loyalty_id_of_member on member_loyalty_id (member_id);

-- What changed, for the caches of the gateways. Written under one lock, so revisions become visible in their order.
create table change (
  revision bigint generated always as identity primary key,
  kind change_kind not null,
  id text collate "C" not null,
  changed_at timestamptz not null default clock_timestamp()
);
create index change_age on change (changed_at);

-- Narrow, and stays when the bodies are dropped.
create table calculation (
  calculation_id uuid primary key,
  supersedes_calculation_id uuid,
  net_before bigint not null,
  net_after bigint not null,
  loyalty_discount_total bigint not null,
  answered_at timestamptz not null,
  expires_at timestamptz not null,
  programme_version integer not null,
  -- Which partition of calculation_body holds the rest.
  body_day date not null,
  state calculation_state not null default 'open',
  status calculation_status not null,
  optimal boolean not null,
  -- Came through confirm and may be withdrawn while nobody has been answered from it.
  confirmed boolean not null,
  replayed boolean not null default false,
  venue_id text collate "C" not null,
  bax_id text collate "C" not null,
  cash_register_id text collate "C",
  channel text not null,
  currency text not null,
  requested_at text not null,
  reason text,
  -- Null also where text cannot hold what was sent.
  loyalty_id text collate "C",
  member_id text collate "C"
);
create index calculation_expiry on calculation (expires_at) where state = 'open';
create index calculation_superseder on calculation (supersedes_calculation_id) where supersedes_calculation_id is not null;

create table calculation_body (
  day date not null,
  calculation_id uuid not null,
  digest bytea not null,
  packed bytea not null,
  inputs bytea not null,
  explanation bytea not null,
  primary key (calculation_id, day)
) partition by range (day);
-- Both arrive compressed.
alter table calculation_body alter column packed set storage external;
alter table calculation_body alter column explanation set storage external;

-- One row per counter of a limit; `used` counts timely sales, `late` what came after its reservation was given back.
-- Half-empty pages keep the updates of a hot counter on its page.
create table limit_counter (
  counter_id bigint generated always as identity primary key,
  used bigint not null default 0 check (used >= 0),
  open bigint not null default 0 check (open >= 0),
  late bigint not null default 0 check (late >= 0),
  -- As the last calculation that took from it knew it.
  maximum bigint not null,
  limit_id text collate "C" not null,
  subject text collate "C" not null,
  period text collate "C" not null,
  unique (limit_id, subject, period)
) with (fillfactor = 50);

-- What a calculation holds of a counter. Changes only under the lock of its counter. No foreign keys: the functions that
-- write here have both rows in hand, and the check would cost each confirmation two more look-ups.
create table reservation (
  calculation_id uuid not null,
  counter_id bigint not null,
  units bigint not null check (units > 0),
  -- Null once it holds nothing. The index asks for this and not for the state: a planner that takes an index which is still
  -- small for the cheapest would else choose it for what is looked up by calculation, and read all of a hot counter.
  held_until timestamptz,
  state reservation_state not null default 'open',
  primary key (calculation_id, counter_id),
  check ((held_until is not null) = (state = 'open'))
);
create index reservation_held on reservation (counter_id, held_until) where held_until is not null;

create table sale (
  calculation_id uuid primary key,
  receipt_number bigint,
  paid_total bigint,
  loyalty_discount_total bigint,
  recorded_at timestamptz not null,
  -- When a sale of an unknown calculation met it after all.
  joined_at timestamptz,
  status sale_status not null,
  result sale_result not null,
  -- Whether the event named one: text cannot hold every loyalty id.
  loyalty_id_sent boolean not null,
  currency text not null,
  channel text not null,
  occurred_at text not null,
  failure_reason text,
  transaction_id text,
  loyalty_id text collate "C",
  venue_id text collate "C",
  bax_id text collate "C",
  cash_register_id text collate "C",
  discrepancies text[] not null,
  digest bytea not null,
  body bytea not null
);
create index sale_age on sale (recorded_at);
