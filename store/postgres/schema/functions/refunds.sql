create or replace function used_holds(p_calculation uuid) returns setof value_hold
language sql stable as $$
  select h.* from value_hold h
  where h.calculation_id = p_calculation and h.used_by is null and h.state in ('used', 'late')
  union all
  select h.* from value_hold h where h.used_by = p_calculation
$$;

-- Takes value that a sale earned back from an account, which the caller holds: from this sale's pending lots, then from pending, then from
-- available ones, in each the lot that expires last first. The shortage becomes debt, up to the amount that open calculations hold and
-- that is not set against a debt yet; the rest too with `debt`, else it is forgiven. `pending_only` never touches available lots, and
-- makes no debt. The caller adds the entry of -(taken + debt).
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

-- Gives back to an account what a sale used of it, the part taken last first, and adds the entry. It comes back with its old
-- expiry, or 30 days from now where that has passed or is nearer, or where it was taken as debt. It pays debt first: replies how much.
--   p_calculation       that held it
--   p_before, p_amount  the amount that came back before, and now
create or replace function give_back(
  p_movement movement, p_account bigint, p_calculation uuid, p_before bigint, p_amount bigint
) returns bigint
language plpgsql as $$
declare
  v_now timestamptz := (p_movement).at;
  v_skipped bigint := p_before;
  v_left bigint := p_amount;
  v_rest bigint;
  v_paid bigint := 0;
  v_part record;
  v_taken bigint;
begin
  perform add_entry(p_movement, p_account, 'redeemed', p_amount);
  for v_part in
    select p.place, p.amount, p.expires_at from value_hold_part p
    where p.calculation_id = p_calculation and p.account_id = p_account
    union all
    -- Debt has no part.
    select 2147483647, h.amount - coalesce((
      select sum(p.amount) from value_hold_part p where p.calculation_id = p_calculation and p.account_id = p_account
    ), 0)::bigint, v_now
    from value_hold h where h.calculation_id = p_calculation and h.account_id = p_account
    order by 1 desc
  loop
    v_taken := least(v_left, greatest(0, v_part.amount - v_skipped));
    v_skipped := greatest(0, v_skipped - v_part.amount);
    v_left := v_left - v_taken;
    v_rest := pay_debt(p_account, v_taken);
    v_paid := v_paid + v_taken - v_rest;
    perform fill_lots(v_now, array[
      row (p_account, v_rest, v_now, greatest(v_part.expires_at, v_now + interval '720 hours'))::value_credit
    ]);
  end loop;
  if v_left > 0 then
    raise exception 'calculation % used % less of account %', p_calculation, v_left, p_account;
  end if;
  return v_paid;
end
$$;

create or replace function returned_value_json(p_currency text, p_amount bigint, p_debt bigint, p_forgiven bigint) returns json
language sql immutable as $$
  select json_build_object('currencyId', p_currency, 'amount', p_amount, 'debt', p_debt, 'forgiven', p_forgiven)
$$;
