-- The lock of the change feed, held to the end of the transaction by everyone who writes to it: so no revision becomes visible below
-- one that was already read.
create or replace function lock_changes() returns void
language sql as $$
  select pg_advisory_xact_lock(hashtextextended('loyalty change feed', 0))
$$;
