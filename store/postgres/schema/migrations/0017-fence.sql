-- A primary that was replaced by a promoted standby, and comes back, writes a timeline that is over.

-- The timeline that this server writes; 0 while it follows another one. Every promotion begins a new one, with a greater number.
create function current_timeline() returns integer
language sql volatile as $$
  select case when pg_is_in_recovery() then 0
    else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer end
$$;

-- As before (0002), and every write goes through here: so a server that is behind the timeline which the session was told of, as the
-- gateways do that know several servers, takes none.
create or replace function require_durable() returns void
language plpgsql as $$
declare
  v_known integer := nullif(current_setting('loyalty.timeline', true), '')::integer;
begin
  if v_known is not null and v_known > current_timeline() then
    raise exception 'this server is on timeline %, the ledger on %', current_timeline(), v_known using errcode = 'LY002';
  end if;
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;
end
$$;
