-- Holds an amount of an account for a calculation, from the lot that expires first; nothing that is not open yet.
--   p_amount  1 to value_left. Raises 40001 where some of that expired since it was read
-- Locks: the caller holds the calculation and the account (lock_accounts, which has removed what has expired).
create or replace function hold_value(p_calculation uuid, p_account bigint, p_amount bigint) returns void
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_lot lot;
  v_left bigint := p_amount;
  v_taken bigint;
  v_place integer := 0;
begin
  insert into value_hold (calculation_id, account_id, amount, held_until)
  select p_calculation, p_account, p_amount, c.expires_at from calculation c where c.calculation_id = p_calculation;
  for v_lot in
    select l.* from lot l
    where l.account_id = p_account and l.opens_at <= v_now and l.amount > l.held
    order by l.expires_at, l.lot_id
  loop
    exit when v_left = 0;
    v_place := v_place + 1;
    v_taken := least(v_left, v_lot.amount - v_lot.held);
    update lot l set held = l.held + v_taken where l.lot_id = v_lot.lot_id;
    insert into value_hold_part (calculation_id, account_id, place, lot_id, amount, opens_at, expires_at)
    values (p_calculation, p_account, v_place, v_lot.lot_id, v_taken, v_lot.opens_at, v_lot.expires_at);
    v_left := v_left - v_taken;
  end loop;
  if v_left > 0 then
    raise exception 'account % has % too little for %', p_account, v_left, p_calculation using errcode = '40001';
  end if;
end
$$;
