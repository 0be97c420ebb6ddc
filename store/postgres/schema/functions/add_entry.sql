-- Adds an entry of a movement: p_amount to the account, the opposite to the system account.
-- The caller changes lots and debt by the same amount, and holds the account.
create or replace function add_entry(p_movement movement, p_account bigint, p_against system_account, p_amount bigint) returns void
language sql as $$
  insert into entry (movement_id, account_id, amount, at, against)
  values ((p_movement).movement_id, p_account, p_amount, (p_movement).at, p_against)
$$;
