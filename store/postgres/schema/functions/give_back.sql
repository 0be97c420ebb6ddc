-- Gives back to an account what a sale used of it, in the order in which it was taken last, and adds the entry. It comes back with its old
-- expiry, or 30 days from now where that has passed or is nearer, or where it was taken as debt. It pays debt first.
--   p_calculation  which held it
--   p_before       what of it came back before
--   p_amount       with p_before at most what was used
-- Replies how much of it paid debt. Locks: the caller holds the account.
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
    -- What became debt has no part.
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
