-- Uses what a calculation held of accounts and no longer holds: what is available, from the lot that expires first; the rest becomes debt.
-- Replies whether there is any such debt. The calculation has no open hold.
-- Locks: the caller holds those of the calculation and its accounts.
create or replace function use_value_late(p_calculation uuid) returns boolean
language plpgsql as $$
declare
  v_hold value_hold;
  v_movement movement;
  v_there bigint;
  v_overdrawn boolean := false;
begin
  for v_hold in
    select h.* from value_hold h where h.calculation_id = p_calculation and h.state = 'released' order by h.account_id
  loop
    if v_movement.movement_id is null then
      v_movement := add_movement('used', 'spending:' || p_calculation, '', '');
    end if;
    v_there := least(v_hold.amount, account_available(v_hold.account_id));
    insert into value_hold_part (calculation_id, account_id, place, lot_id, amount, opens_at, expires_at)
    select p_calculation, v_hold.account_id, t.ordinality, t.lot_id, t.amount, t.opens_at, t.expires_at
    from take_lots(v_hold.account_id, v_movement.at, v_there) with ordinality t;
    if v_there < v_hold.amount then
      update account a set debt = a.debt + v_hold.amount - v_there where a.account_id = v_hold.account_id;
      v_overdrawn := true;
    end if;
    perform add_entry(v_movement, v_hold.account_id, 'redeemed', -v_hold.amount);
    update value_hold h set state = 'late' where h.calculation_id = p_calculation and h.account_id = v_hold.account_id;
  end loop;
  return v_overdrawn;
end
$$;
