-- Uses what a calculation holds of accounts: also of lots that have expired meanwhile.
-- Locks: the caller holds those of the calculation and its accounts.
create or replace function use_value(p_calculation uuid) returns void
language plpgsql as $$
declare
  v_hold value_hold;
  v_part value_hold_part;
  v_movement movement;
begin
  for v_hold in
    select h.* from value_hold h where h.calculation_id = p_calculation and h.state = 'open' order by h.account_id
  loop
    if v_movement.movement_id is null then
      v_movement := add_movement('used', 'spending:' || p_calculation, '', '');
    end if;
    for v_part in
      select p.* from value_hold_part p where p.calculation_id = p_calculation and p.account_id = v_hold.account_id
    loop
      delete from lot l where l.lot_id = v_part.lot_id and l.amount = v_part.amount;
      update lot l set amount = l.amount - v_part.amount, held = l.held - v_part.amount where l.lot_id = v_part.lot_id;
    end loop;
    perform add_entry(v_movement, v_hold.account_id, 'redeemed', -v_hold.amount);
    update value_hold h set state = 'used', held_until = null
    where h.calculation_id = p_calculation and h.account_id = v_hold.account_id;
  end loop;
end
$$;
