-- The timeline that this server writes; 0 on a standby. Every promotion starts a new timeline with a greater number.
create or replace function current_timeline() returns integer
language sql volatile as $$
  select case when pg_is_in_recovery() then 0
    else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer end
$$;
