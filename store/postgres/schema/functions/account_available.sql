-- What can be taken from an account now: open, not expired and not held.
-- Locks: the caller holds the account (lock_accounts, which has removed what has expired).
create or replace function account_available(p_account bigint) returns bigint
language plpgsql as $$
begin
  return (
    select coalesce(sum(l.amount - l.held), 0) from lot l where l.account_id = p_account and l.opens_at <= clock_timestamp()
  );
end
$$;
