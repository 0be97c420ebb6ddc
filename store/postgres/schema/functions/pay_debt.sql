-- Pays the debt of an account from a credit. Replies what is left of the credit.
-- Locks: the caller holds the account.
create or replace function pay_debt(p_account bigint, p_amount bigint) returns bigint
language plpgsql as $$
declare
  v_debt bigint := (select a.debt from account a where a.account_id = p_account);
begin
  if v_debt = 0 then
    return p_amount;
  end if;
  update account a set debt = a.debt - least(a.debt, p_amount) where a.account_id = p_account;
  return p_amount - least(v_debt, p_amount);
end
$$;
