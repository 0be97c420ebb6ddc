-- Credits accounts: adds the entries, pays debt first, and puts the rest into lots (fill_lots).
--   p_credits      an account stands here once; amounts from 1 to account_room, expiries after the opening and after the movement
--   p_pays_debt    false only for an import, or where no account has debt
--   p_calculation  the sale that gives it; null: none
-- Locks: the caller holds the accounts (lock_accounts).
create or replace function credit_accounts(
  p_movement movement, p_against system_account, p_credits value_credit[], p_pays_debt boolean, p_calculation uuid default null
) returns void
language plpgsql as $$
begin
  perform add_entries(p_movement, p_against, p_credits);
  if p_pays_debt then
    p_credits := array(
      select row (n.account_id, pay_debt(n.account_id, n.amount), n.opens_at, n.expires_at)::value_credit from unnest(p_credits) n
    );
  end if;
  perform fill_lots((p_movement).at, p_credits, p_calculation);
end
$$;
