-- Takes back so many times of an activation: what it gave goes, and what it took comes back with its dates, the last part first.
--   p_times  what it gave is free, what comes back has not expired and has room
-- Replies as order_cancellation, or {"kind":"request_id_conflict"}. Locks: the caller holds the accounts.
create or replace function deactivate(p_by change_context, p_activation activation, p_times bigint) returns json
language plpgsql as $$
declare
  v_from bigint := p_activation.from_account;
  v_to bigint := p_activation.to_account;
  v_before text[] := array[account_snapshot(v_from), account_snapshot(v_to)];
  v_movement movement := add_movement('cancelled', 'request:' || p_by.request_id, '', p_by.actor);
  v_back bigint := p_times * p_activation.from_amount;
  v_gone bigint := p_times * p_activation.to_amount;
  v_left bigint := v_back;
  v_part activation_part;
  v_taken bigint;
begin
  if v_movement.movement_id is null then
    return '{"kind":"request_id_conflict"}';
  end if;
  delete from lot l where l.activation_id = p_activation.activation_id and l.account_id = v_to and l.amount = v_gone;
  update lot l set amount = l.amount - v_gone
  where l.activation_id = p_activation.activation_id and l.account_id = v_to;
  perform add_entry(v_movement, v_to, 'issued', -v_gone);
  perform add_entry(v_movement, v_from, 'redeemed', v_back);
  for v_part in
    select p.* from activation_part p
    where p.activation_id = p_activation.activation_id and p.expires_at > v_movement.at order by p.place desc
  loop
    exit when v_left = 0;
    v_taken := least(v_left, v_part.amount);
    delete from activation_part p
    where p.activation_id = v_part.activation_id and p.place = v_part.place and p.amount = v_taken;
    update activation_part p set amount = p.amount - v_taken
    where p.activation_id = v_part.activation_id and p.place = v_part.place;
    perform fill_lots(v_movement.at, array[
      row (v_from, pay_debt(v_from, v_taken), v_part.opens_at, v_part.expires_at)::value_credit
    ]);
    v_left := v_left - v_taken;
  end loop;
  if v_left > 0 then
    raise exception 'activation % has % too little', p_activation.activation_id, v_left;
  end if;
  perform audit_accounts(p_by, array[v_from, v_to], v_before);
  return json_build_object('kind', 'done', 'times', p_times, 'fromAmount', v_back, 'toAmount', v_gone);
end
$$;
