-- Gateways: their leases, and their state for operators.

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

-- Running processes of gateways, for operators. No statement waits for these rows, unlike those of table gateway.
create table gateway_process (
  process_id uuid primary key,
  -- Processes that share ports are one gateway: they have the first three in common.
  host text not null,
  -- Id of the process that started them, or of the only one.
  pid integer not null,
  -- Port of the REST address.
  port integer not null,
  -- Its place among them, 1 and up: a process that takes the place of one that died has its number.
  number integer not null,
  version text not null,
  node_version text not null,
  -- LOYALTY_PROCESSES.
  processes integer not null,
  programme_version integer not null,
  -- Redis, as this process reaches it.
  cache text not null check (cache in ('up', 'down', 'absent')),
  -- Its answers of the last minute, in the columns of table traffic_minute.
  traffic json not null,
  started_at timestamptz not null,
  seen_at timestamptz not null
);

-- Answers of all gateways to POSs in a minute. Each process adds its counts once. Deleted after two days.
create table traffic_minute (
  minute timestamptz primary key,
  -- Processes that have added their counts: a repeated attempt adds nothing.
  processes uuid[] not null,
  -- Baskets by outcome, such as {"applied": 12}.
  outcomes jsonb not null,
  -- Baskets by the upper bound of the time of their answer in seconds, such as {"0.005": 10, "+Inf": 2}; each basket once.
  times jsonb not null,
  -- Baskets and sales with an error or answered late, by venue, register and code, such as {"all": 12, "[\"v\",\"1\",\"slow\"]": 2}.
  calls jsonb not null,
  -- More than 1 % of its calls had an error (judge_minutes). Null: not judged yet.
  is_failing boolean
);

-- == The console ==

-- Named filters of its lists.
create table saved_view (
  -- The request id with which it was stored.
  view_id uuid primary key,
  list text not null,
  name text not null,
  -- The query of its address.
  query text not null,
  is_shared boolean not null,
  stored_by text not null,
  stored_at timestamptz not null default clock_timestamp()
);

create table console_session (
  -- SHA-256 of an id that only a browser, or a printed link, has.
  digest text collate "C" primary key,
  -- A ticket begins one session; it is none itself.
  is_ticket boolean not null,
  role text not null,
  -- As in audit records.
  name text not null,
  -- The OpenID provider that signed in; null: a token did.
  issuer text,
  ends_at timestamptz not null
);
create index console_session_end on console_session (ends_at);
