-- Puts an amount into a lot. An open lot of the same expiry is added to, unless an activation gave it; a pending amount gets a lot of its own.
--   p_now          of the movement
--   p_amount       0: nothing is done
--   p_calculation  the sale that gives it; null: none
-- Locks: the caller holds the account and has added the entry.
create or replace function fill_lot(
  p_account bigint, p_now timestamptz, p_amount bigint, p_opens_at timestamptz, p_expires_at timestamptz,
  p_calculation uuid default null
) returns void
language plpgsql as $$
begin
  if p_amount = 0 then
    return;
  end if;
  if p_opens_at <= p_now then
    update lot l set amount = l.amount + p_amount
    where l.lot_id = (
      select o.lot_id from lot o
      where o.account_id = p_account and o.expires_at = p_expires_at and o.opens_at <= p_now and o.activation_id is null
      order by o.lot_id limit 1
    );
    if found then
      return;
    end if;
  end if;
  insert into lot (account_id, amount, opens_at, expires_at, calculation_id)
  values (p_account, p_amount, p_opens_at, p_expires_at, p_calculation);
end
$$;
