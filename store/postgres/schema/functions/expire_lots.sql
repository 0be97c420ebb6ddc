-- Writes the movements of an account's lots that have expired. What is held stays, because it may still be used, in a lot of its own:
-- the movement of an expiry has the id of its lot.
-- Locks: the caller holds the account.
create or replace function expire_lots(p_account bigint) returns void
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_lot lot;
  v_rest bigint;
begin
  for v_lot in
    select l.* from lot l
    where l.account_id = p_account and l.expires_at <= v_now and l.amount > l.held
    order by l.expires_at, l.lot_id
  loop
    insert into movement (movement_id, kind, at, cause)
    values (v_lot.lot_id, 'expired', v_lot.expires_at, 'lot:' || v_lot.lot_id);
    insert into entry (movement_id, account_id, amount, at, against)
    values (v_lot.lot_id, p_account, v_lot.held - v_lot.amount, v_lot.expires_at, 'expired');
    if v_lot.held > 0 then
      insert into lot (account_id, amount, held, opens_at, expires_at, activation_id)
      values (p_account, v_lot.held, v_lot.held, v_lot.opens_at, v_lot.expires_at, v_lot.activation_id)
      returning lot_id into v_rest;
      update value_hold_part p set lot_id = v_rest
      from value_hold h
      where h.account_id = p_account and h.held_until is not null
        and p.calculation_id = h.calculation_id and p.account_id = h.account_id and p.lot_id = v_lot.lot_id;
    end if;
    delete from lot l where l.lot_id = v_lot.lot_id;
  end loop;
end
$$;
