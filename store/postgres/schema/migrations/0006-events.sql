
-- Written in the transaction of its cause. Deleted after LOYALTY_EVENT_DAYS (prune_events).
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
  -- The key of its signatures. Stored as it is: a digest of it could not sign.
  secret bytea not null,
  types text[] not null,
  created_at timestamptz not null default clock_timestamp(),
  -- Every event up to this place has its delivery.
  place bigint not null,
  -- It answered 410: it is sent nothing more.
  disabled_at timestamptz,
  -- The first failed attempt since the last delivery. Null: there is none.
  failing_since timestamptz,
  -- Nothing is sent before: it asked for a pause (Retry-After).
  paused_until timestamptz not null default '-infinity'
);

create table removed_webhook (
  webhook_id uuid primary key
);

create type delivery_state as enum ('waiting', 'due', 'delivered', 'failed');

-- An event for a webhook. Changes only under the lock of the webhook, except that take_deliveries takes due ones.
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
  -- Result of the last attempt: `200`, or the fault.
  outcome text not null default '',
  primary key (place, webhook_id)
) with (fillfactor = 80);
create index delivery_due on delivery (webhook_id, due_at, place) where state = 'due';
create index delivery_pending on delivery (webhook_id, member_id, place) where state in ('waiting', 'due');
create index delivery_failed on delivery (webhook_id, place) where state = 'failed';
