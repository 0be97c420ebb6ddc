-- What an account can still be credited with: it never passes 2^53 - 1.
--   p_pays_debt  the credit pays debt first
-- Locks: the caller holds the account.
create or replace function account_room(p_account bigint, p_pays_debt boolean) returns bigint
language plpgsql stable as $$
begin
  return (
    select 9007199254740991 - coalesce((select sum(l.amount) from lot l where l.account_id = p_account), 0)::bigint
      + case when p_pays_debt then a.debt else 0 end
    from account a where a.account_id = p_account
  );
end
$$;
