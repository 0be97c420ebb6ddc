-- Which processes of gateways run, for people. Nothing waits for these rows, unlike those of table gateway.
create table gateway_process (
  process_id uuid primary key,
  -- Processes that share ports are one gateway: they have the first three in common.
  host text not null,
  -- Of the process that started them, or of the only one.
  pid integer not null,
  -- Of the REST address.
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
  started_at timestamptz not null,
  seen_at timestamptz not null
);
