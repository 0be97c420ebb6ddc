-- Moves an account into another one of the same currency, with its dates: lots and what is held of them, debt, which is paid at once
-- from what is free, what calculations hold or used, activations, and the totals of rules (merge_totals). It stays, empty, for its entries.
--   p_from_member  whose account p_from is
-- Replies {currencyId, amount, debt, paid, completed}: lots and debt moved, debt paid, units that the sums completed; null: the account
-- would pass 2^53 - 1. Locks: the caller holds both accounts.
create or replace function merge_account(p_by change_context, p_from_member text, p_from account, p_into account) returns json
language plpgsql as $$
declare
  c_most constant numeric := 9007199254740991;
  v_from bigint := (p_from).account_id;
  v_into bigint := (p_into).account_id;
  v_debt numeric := (p_from).debt::numeric + (p_into).debt;
  v_moved bigint := coalesce((select sum(l.amount) from lot l where l.account_id = v_from), 0);
  v_lots numeric := v_moved + coalesce((select sum(l.amount) from lot l where l.account_id = v_into), 0);
  v_paid numeric := least(v_debt, (select coalesce(sum(l.amount - l.held), 0) from lot l where l.account_id in (v_from, v_into)));
  v_completed bigint;
begin
  if v_lots - v_paid > c_most or v_debt - v_paid > c_most then
    return null;
  end if;
  if v_moved <> (p_from).debt then
    perform add_entry(merge_of(p_by, p_from_member), v_from, 'transferred', (p_from).debt - v_moved);
    perform add_entry(merge_of(p_by, p_from_member), v_into, 'transferred', v_moved - (p_from).debt);
  end if;
  update lot l set account_id = v_into where l.account_id = v_from;
  update value_hold h set account_id = v_into where h.account_id = v_from and h.amount > 0;
  update value_hold_part p set account_id = v_into
  from value_hold h where h.account_id = v_into and h.amount > 0 and p.calculation_id = h.calculation_id and p.account_id = v_from;
  update account a set debt = v_debt - v_paid where a.account_id = v_into;
  perform take_lots(v_into, v_paid::bigint);
  update account a set debt = 0, merged_into = v_into where a.account_id = v_from;
  update account a set merged_into = v_into where a.merged_into = v_from;
  update activation n set from_account = v_into where n.from_account = v_from;
  update activation n set to_account = v_into where n.to_account = v_from;
  v_completed := merge_totals(p_by, p_from_member, v_from, v_into);
  if v_completed is null then
    return null;
  end if;
  return json_build_object(
    'currencyId', (p_from).currency_id, 'amount', v_moved, 'debt', (p_from).debt, 'paid', v_paid, 'completed', v_completed
  );
end
$$;
