-- Moves the value of a return, in one movement: first what was spent comes back, then what was earned is taken back. The accounts of a forgotten member are empty and stay so: all is forgiven.
--   p_ladder           as of sale_ladder
--   p_before, p_after  thousandths by line, without this return and with it
--   p_member           null: nobody, or forgotten
-- Replies JSON arrays of {currencyId, amount, debt, forgiven}, by currency. Locks: the caller holds the ladder and the accounts.
create or replace function settle_return(
  p_return sale_return, p_ladder json, p_before bigint[], p_after bigint[], p_member text, out taken_back json, out given_back json
)
language plpgsql as $$
declare
  v_movement movement;
  v_debt bigint;
  v_due record;
  v_back record;
  v_rows json[] := '{}';
begin
  for v_due in
    select d.* from spent_due(p_return.calculation_id, p_ladder, p_before, p_after) d where d.amount > 0 order by d.currency_id
  loop
    if p_member is null then
      v_rows := v_rows || moved_row(v_due.currency_id, 0, 0, v_due.amount);
      continue;
    end if;
    if v_movement.movement_id is null then
      v_movement := add_movement('returned', 'return:' || p_return.return_id, '', p_return.actor);
    end if;
    v_debt := give_back(v_movement, v_due.account_id, p_return.calculation_id, v_due.before, v_due.amount);
    v_rows := v_rows || moved_row(v_due.currency_id, v_due.amount, v_debt, 0);
  end loop;
  given_back := array_to_json(v_rows);
  v_rows := '{}';
  for v_due in
    select a.account_id, a.currency_id, min(u.on_return) as on_return, sum(u.amount)::bigint as amount
    from uncount_sale(p_return.calculation_id, p_ladder, p_after) u
    join account a on a.account_id = u.account_id
    group by a.account_id
    order by a.currency_id
  loop
    if p_member is null then
      select 0::bigint as taken, 0::bigint as debt, v_due.amount as forgiven into v_back;
    else
      select * into v_back
      from take_back(v_due.account_id, p_return.calculation_id, v_due.on_return, v_due.amount);
    end if;
    v_rows := v_rows || moved_row(v_due.currency_id, v_back.taken + v_back.debt, v_back.debt, v_back.forgiven);
    continue when v_back.taken + v_back.debt = 0;
    if v_movement.movement_id is null then
      v_movement := add_movement('returned', 'return:' || p_return.return_id, '', p_return.actor);
    end if;
    perform add_entry(v_movement, v_due.account_id, 'issued', -(v_back.taken + v_back.debt));
  end loop;
  taken_back := array_to_json(v_rows);
end
$$;
