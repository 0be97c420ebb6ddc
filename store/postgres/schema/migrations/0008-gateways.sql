
create table gateway (
  gateway_id uuid primary key,
  held_since timestamptz not null,
  held_until timestamptz not null,
  uses_cache boolean not null,
  flushed_through bigint not null
);

create table flush_wish (
  only_row boolean primary key default true check (only_row),
  number bigint not null
);
insert into flush_wish (number) values (0);

create table gateway_process (
  process_id uuid primary key,
  -- Processes that share ports are one gateway: they have the first three in common.
  host text not null,
  pid integer not null,
  port integer not null,
  -- Its place among them, 1 and up: a process that takes the place of one that died has its number.
  number integer not null,
  version text not null,
  node_version text not null,
  processes integer not null,
  programme_version integer not null,
  cache text not null check (cache in ('up', 'down', 'absent')),
  traffic json not null,
  started_at timestamptz not null,
  seen_at timestamptz not null
);

-- Answers of all gateways to POSs in a minute. Each process adds its counts once. Deleted after two days.
create table traffic_minute (
  minute timestamptz primary key,
  processes uuid[] not null,
  outcomes jsonb not null,
  times jsonb not null,
  calls jsonb not null,
  is_failing boolean
);

create table saved_view (
  view_id uuid primary key,
  list text not null,
  name text not null,
  query text not null,
  is_shared boolean not null,
  stored_by text not null,
  stored_at timestamptz not null default clock_timestamp()
);

create table console_session (
  digest text collate "C" primary key,
  is_ticket boolean not null,
  role text not null,
  name text not null,
  issuer text,
  ends_at timestamptz not null
);
create index console_session_end on console_session (ends_at);
