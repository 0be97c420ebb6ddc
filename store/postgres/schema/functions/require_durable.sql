-- Called first by every function that writes: the commit must be durable before the caller answers from it.
-- Overrides synchronous_commit = off of the server. Refuses (LY002) on a primary that was replaced: the session says in
-- loyalty.timeline which timeline the ledger is on, and this server is on an older one.
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
