-- Takes an amount from what is available in an account (take_lots), and adds the entry.
--   p_amount  1 to account_available
-- Replies the parts, as take_lots. Locks: the caller holds the account (lock_accounts).
create or replace function debit(p_movement movement, p_account bigint, p_against system_account, p_amount bigint)
returns setof lot
language plpgsql as $$
begin
  return query select * from take_lots(p_account, (p_movement).at, p_amount);
  perform add_entry(p_movement, p_account, p_against, -p_amount);
end
$$;
