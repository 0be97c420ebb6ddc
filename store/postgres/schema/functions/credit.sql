-- Credits an account: adds the entry, pays debt first, and puts the rest into a lot.
--   p_amount       1 to account_room
--   p_opens_at     later than the movement: pending until then
--   p_expires_at   after p_opens_at and after the movement; infinity: never
--   p_pays_debt    false only for an import
--   p_calculation  the sale that gives it; null: none
-- Locks: the caller holds the account (lock_accounts).
create or replace function credit(
  p_movement movement, p_account bigint, p_against system_account, p_amount bigint,
  p_opens_at timestamptz, p_expires_at timestamptz, p_pays_debt boolean,
  p_calculation uuid default null
) returns void
language plpgsql as $$
begin
  perform add_entry(p_movement, p_account, p_against, p_amount);
  perform fill_lot(
    p_account, (p_movement).at, case when p_pays_debt then pay_debt(p_account, p_amount) else p_amount end,
    p_opens_at, p_expires_at, p_calculation
  );
end
$$;
