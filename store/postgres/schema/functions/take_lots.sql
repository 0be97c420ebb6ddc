-- Takes an amount from the lots of an account that are available, from the one that expires first. The caller adds the entry.
--   p_at      the time of the movement
--   p_amount  0 to account_available
-- Replies the parts: rows of `lot` with what was taken as amount, and its dates.
-- Locks: the caller holds the account (lock_accounts).
create or replace function take_lots(p_account bigint, p_at timestamptz, p_amount bigint) returns setof lot
language plpgsql as $$
declare
  v_lot lot;
  v_left bigint := p_amount;
  v_taken bigint;
begin
  for v_lot in
    select l.* from lot l
    where l.account_id = p_account and l.opens_at <= p_at and l.amount > l.held
    order by l.expires_at, l.lot_id
  loop
    exit when v_left = 0;
    v_taken := least(v_left, v_lot.amount - v_lot.held);
    delete from lot l where l.lot_id = v_lot.lot_id and l.amount = v_taken;
    update lot l set amount = l.amount - v_taken where l.lot_id = v_lot.lot_id;
    v_left := v_left - v_taken;
    v_lot.amount := v_taken;
    v_lot.held := 0;
    return next v_lot;
  end loop;
  if v_left > 0 then
    raise exception 'account % has % too little', p_account, v_left;
  end if;
end
$$;
