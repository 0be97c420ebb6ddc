-- Takes an amount from what is free in an account, available before pending, from the lot that expires first; no entry is added.
--   p_amount  what is free, at most
-- Locks: the caller holds the account.
create or replace function take_lots(p_account bigint, p_amount bigint) returns void
language plpgsql as $$
declare
  v_lot lot;
  v_left bigint := p_amount;
  v_taken bigint;
begin
  for v_lot in
    select l.* from lot l where l.account_id = p_account and l.amount > l.held
    order by l.opens_at > clock_timestamp(), l.expires_at, l.lot_id
  loop
    exit when v_left = 0;
    v_taken := least(v_left, v_lot.amount - v_lot.held);
    delete from lot l where l.lot_id = v_lot.lot_id and l.amount = v_taken;
    update lot l set amount = l.amount - v_taken where l.lot_id = v_lot.lot_id;
    v_left := v_left - v_taken;
  end loop;
end
$$;
