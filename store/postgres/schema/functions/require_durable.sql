-- Called first by every function that writes: the commit must be durable before the caller answers from it.
-- Overrides synchronous_commit = off of the server.
create or replace function require_durable() returns void
language plpgsql as $$
begin
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;
end
$$;
