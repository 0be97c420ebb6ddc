
create table event (
  event_id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- Place in the feed, 1, 2, 3 and so on. Given after the commit (place_events): a number taken before it could become visible below one
  -- that was already read.
  place bigint,
  type text collate "C" not null,
  member_id text collate "C",
  body text not null
);
create unique index event_feed on event (place) where place is not null;
create index event_unplaced on event (event_id) where place is null;
create index event_of_member on event (member_id, event_id) where member_id is not null;

create table webhook (
  webhook_id uuid primary key,
  url text not null,
  secret bytea not null,
  types text[] not null,
  created_at timestamptz not null default clock_timestamp(),
  place bigint not null,
  disabled_at timestamptz,
  failing_since timestamptz,
  paused_until timestamptz not null default '-infinity'
);

create table removed_webhook (
  webhook_id uuid primary key
);

create type delivery_state as enum ('waiting', 'due', 'delivered', 'failed');

create table delivery (
  place bigint not null,
  webhook_id uuid not null,
  -- waiting: an earlier one of the same member is not finished.
  state delivery_state not null,
  attempts integer not null default 0,
  -- When it is attempted next; while it is attempted: when that counts as lost.
  due_at timestamptz not null default clock_timestamp(),
  -- Attempts end a time after this.
  since timestamptz not null default clock_timestamp(),
  -- Null: of no member, or finished. After its member is forgotten: a random name.
  member_id text collate "C",
  outcome text not null default '',
  primary key (place, webhook_id)
) with (fillfactor = 80);
create index delivery_due on delivery (webhook_id, due_at, place) where state = 'due';
create index delivery_pending on delivery (webhook_id, member_id, place) where state in ('waiting', 'due');
create index delivery_failed on delivery (webhook_id, place) where state = 'failed';
