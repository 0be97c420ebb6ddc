-- The tables of the ledger. The functions that work on them are in ../functions, one per file.
-- Ids are compared by their bytes (collate "C"), so that the order of locks is the same on every server, whatever its locale.

-- == Calculations ==

create type calculation_status as enum ('applied', 'unchanged', 'member_not_found');
create type calculation_state as enum ('open', 'finalised', 'abandoned', 'superseded', 'expired');

-- The facts of a calculation. Narrow, and kept when its body is dropped.
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
  -- Minor units that a better outcome could gain at most.
  gap bigint not null default 0,
  -- Stored by confirm_within: may be withdrawn until its answer is given again.
  confirmed boolean not null,
  -- Its answer was given again.
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
  member_id text collate "C",
  -- JSON of what the earning rules count of the basket as returned and as sent (earning_rules). Null: nothing.
  earning text
);
create index calculation_expiry on calculation (expires_at) where state = 'open';
create index calculation_superseder on calculation (supersedes_calculation_id) where supersedes_calculation_id is not null;
create index calculation_age on calculation (answered_at, calculation_id);
-- `net_before >= 0` is always true; only statements that ask for it may use this index. Without it the planner could choose this
-- index for a look-up by calculation and venue, and read every calculation of the venue.
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

-- == Holds: counters of limits, and what calculations reserve of them ==

create type reservation_state as enum ('open', 'used', 'late', 'released');

-- A counter of a limit, in units: reserved (`open`), sold in time (`used`), sold after the reservation was released (`late`).
-- Half-empty pages keep the updates of a hot counter on its page.
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
  unique (limit_id, subject, period)
) with (fillfactor = 50);
-- The counters of one member or venue.
create index limit_counter_subject on limit_counter (subject, limit_id, period) where subject <> '';

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

-- == Sales ==

create type sale_status as enum ('applied', 'unchanged', 'member_not_found', 'failed', 'cancelled');
create type sale_result as enum ('recorded', 'unknown_calculation');

create table sale (
  calculation_id uuid primary key,
  receipt_number bigint,
  paid_total bigint,
  loyalty_discount_total bigint,
  recorded_at timestamptz not null,
  -- When its calculation was stored after it.
  joined_at timestamptz,
  status sale_status not null,
  result sale_result not null,
  -- Whether the event named a loyalty id: text cannot hold every one.
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
  body bytea not null,
  -- Place in the feed of sales. Given after the commit (place_sales): a number taken before it could become visible below one that
  -- was already read.
  feed_place bigint
);
create index sale_age on sale (recorded_at, calculation_id);
create index sale_of_venue on sale (venue_id, recorded_at, calculation_id) where venue_id is not null;
create index sale_of_loyalty_id on sale (loyalty_id) where loyalty_id is not null;
create index sale_discrepancy on sale (recorded_at, calculation_id) where discrepancies <> '{}';
create unique index sale_feed on sale (feed_place) where feed_place is not null;
create index sale_unplaced on sale (recorded_at, calculation_id) where feed_place is null;

-- == Recount: counters compared with their reservations, accounts with their entries ==

-- How far the recount has come. One row; written under the advisory lock of recount_slice.
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
  -- Of the last complete round.
  ended_at timestamptz,
  last_counters bigint not null default 0,
  last_accounts bigint not null default 0,
  last_differences bigint not null default 0,
  last_passed_over bigint not null default 0
);
insert into recount default values;

-- == Members ==

-- JSON is stored as text: jsonb refuses what a receipt text may contain, such as U+0000.
create table member (
  member_id text collate "C" primary key,
  body text not null
);

create table member_loyalty_id (
  loyalty_id text collate "C" primary key,
  member_id text collate "C" not null references member
);
create index loyalty_id_of_member on member_loyalty_id (member_id);

-- Loyalty ids that a member had before.
create table past_loyalty_id (
  member_id text collate "C" not null,
  loyalty_id text collate "C" not null,
  primary key (member_id, loyalty_id),
  unique (loyalty_id, member_id)
);

-- Members whose tier, segments and loyalty ids a programme set last; an import deletes the row.
create table published_member (
  member_id text collate "C" primary key
);

-- Members whose forgetting is not complete. A calculation may be on its way to the ledger while its member is forgotten, so
-- finish_erasure erases once more after it has arrived, and deletes the row.
create table erasure (
  member_id text collate "C" primary key,
  loyalty_ids text[] not null,
  asked_at timestamptz not null default clock_timestamp()
);

-- HMAC-SHA256 of each forgotten id (forgotten_digest), so that a programme does not enrol it again. Without a key a short id could
-- be guessed from its digest.
create table forgotten (
  digest bytea primary key,
  forgotten_at timestamptz not null default clock_timestamp()
);

-- The key, xored with the two pads of HMAC, 64 bytes each. Created with the first digest.
create table forgetting_key (
  id integer primary key default 1 check (id = 1),
  inner_key bytea not null,
  outer_key bytea not null
);

-- == Venues ==

create table venue (
  venue_id text collate "C" primary key,
  body text not null
);

create table bax (
  bax_id text collate "C" primary key,
  venue_id text collate "C" not null references venue
);
create index bax_of_venue on bax (venue_id);

-- == Programmes, and the feed of changes ==

create table programme_version (
  version integer primary key,
  -- SHA-256 of the document in canonical form: the same content is not published twice in a row.
  content_digest bytea not null,
  document text not null,
  benefits text not null,
  published_at timestamptz not null default clock_timestamp(),
  -- Name of the token, or `start`.
  published_by text not null default 'start',
  -- The version whose benefits this one repeats.
  rolled_back_to integer
);

-- The file that a start published last, or found in force. One row at most.
create table programme_file (
  id integer primary key default 1 check (id = 1),
  -- As in programme_version.
  content_digest bytea not null,
  taken_at timestamptz not null default clock_timestamp()
);

-- `codes`, `sale`, `webhook` and `calculation` only in audit records.
create type change_kind as enum ('programme', 'venue', 'member', 'codes', 'sale', 'webhook', 'calculation');

-- What changed, for the caches of the gateways. Written under lock_changes, so that revisions become visible in their order.
create table change (
  revision bigint generated always as identity primary key,
  kind change_kind not null,
  id text collate "C" not null,
  changed_at timestamptz not null default clock_timestamp()
);
create index change_age on change (changed_at);

-- == Audit of administrative changes ==

-- Who asks for a change, with which call and request id.
create type change_context as (actor text, call text, request_id uuid);

-- Request ids that were used, each with its reply. An empty reply is never visible: its own transaction fills it in.
create table change_order (
  request_id uuid primary key,
  call text not null,
  -- SHA-256 of the request.
  digest bytea not null,
  reply text not null,
  made_at timestamptz not null default clock_timestamp()
);
create index change_order_age on change_order (made_at);

create table audit_record (
  audit_id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- Name of the token, or `start`.
  actor text not null,
  call text not null,
  request_id uuid,
  subject_kind change_kind not null,
  subject_id text collate "C" not null,
  -- JSON; null: the subject did not, or does not, exist.
  before text,
  after text
);
create index audit_of_subject on audit_record (subject_kind, subject_id, audit_id);

-- == Gateways ==

-- A gateway is live while its lease lasts. It may answer from Redis alone only while uses_cache is true here.
create table gateway (
  gateway_id uuid primary key,
  -- The lease has been held without a gap since then.
  held_since timestamptz not null,
  held_until timestamptz not null,
  uses_cache boolean not null,
  -- Everything that this gateway answered before it received this wish is in the ledger.
  flushed_through bigint not null
);

-- The number of the newest wish. A wish asks every gateway to flush its answers to the ledger. One row.
create table flush_wish (
  only_row boolean primary key default true check (only_row),
  number bigint not null
);
insert into flush_wish (number) values (0);
