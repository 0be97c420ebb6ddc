-- Takes value that a sale earned back from an account: from this sale's pending lots first, then from pending, then from available ones,
-- of each the lot that expires last first. Of the shortage, as much as open calculations hold and is not set against a debt yet becomes
-- debt; the rest too with `debt`, otherwise it is forgiven. `pending_only` never touches what is available, and makes no debt.
-- The caller adds the entry of -(taken + debt).
-- Locks: the caller holds the account.
create or replace function take_back(
  p_account bigint, p_calculation uuid, p_on_return text, p_amount bigint,
  out taken bigint, out debt bigint, out forgiven bigint
)
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_lot lot;
  v_part bigint;
begin
  taken := 0;
  for v_lot in
    select l.* from lot l
    where l.account_id = p_account and l.amount > l.held and (p_on_return <> 'pending_only' or l.opens_at > v_now)
    order by l.opens_at > v_now and l.calculation_id is not distinct from p_calculation desc, l.opens_at > v_now desc,
      l.expires_at desc, l.lot_id desc
  loop
    exit when taken = p_amount;
    v_part := least(p_amount - taken, v_lot.amount - v_lot.held);
    delete from lot l where l.lot_id = v_lot.lot_id and l.amount = v_part;
    update lot l set amount = l.amount - v_part where l.lot_id = v_lot.lot_id;
    taken := taken + v_part;
  end loop;
  debt := case p_on_return
    when 'debt' then p_amount - taken
    when 'pending_only' then 0
    else least(p_amount - taken, (
      select greatest(0, coalesce(sum(l.held), 0) - a.debt)
      from account a left join lot l on l.account_id = a.account_id
      where a.account_id = p_account group by a.account_id
    ))
  end;
  update account a set debt = a.debt + take_back.debt where a.account_id = p_account and take_back.debt > 0;
  forgiven := p_amount - taken - debt;
end
$$;
