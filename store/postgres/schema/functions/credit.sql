-- Credits one account, as credit_accounts does.
-- Locks: the caller holds the account (lock_accounts).
create or replace function credit(
  p_movement movement, p_account bigint, p_against system_account, p_amount bigint,
  p_opens_at timestamptz, p_expires_at timestamptz, p_pays_debt boolean
) returns void
language plpgsql as $$
begin
  perform credit_accounts(
    p_movement, p_against, array[row (p_account, p_amount, p_opens_at, p_expires_at)::value_credit], p_pays_debt
  );
end
$$;
