-- Exchanges value between two accounts of a member, and notes from which lots it came (activation_part).
--   p_times  what this costs is available, and what it gives has room
-- Replies as order_activation, or {"kind":"request_id_conflict"}. Locks: the caller holds the accounts.
create or replace function activate(p_by change_context, p_exchange value_exchange, p_from bigint, p_to bigint, p_times integer)
returns json
language plpgsql as $$
declare
  v_before text[] := array[account_snapshot(p_from), account_snapshot(p_to)];
  v_movement movement := add_movement('activated', 'request:' || p_by.request_id, '', p_by.actor);
  v_expires timestamptz := coalesce(v_movement.at + p_exchange.valid_days * interval '24 hours', 'infinity');
  v_left bigint;
begin
  if v_movement.movement_id is null then
    return '{"kind":"request_id_conflict"}';
  end if;
  insert into activation (activation_id, from_account, to_account, from_amount, to_amount)
  values (v_movement.movement_id, p_from, p_to, p_exchange.from_amount, p_exchange.to_amount);
  insert into activation_part (activation_id, place, amount, opens_at, expires_at)
  select v_movement.movement_id, d.ordinality, d.amount, d.opens_at, d.expires_at
  from debit(v_movement, p_from, 'redeemed', p_exchange.from_amount * p_times) with ordinality d;
  perform add_entry(v_movement, p_to, 'issued', p_exchange.to_amount * p_times);
  v_left := pay_debt(p_to, p_exchange.to_amount * p_times);
  if v_left > 0 then
    insert into lot (account_id, amount, opens_at, expires_at, activation_id)
    values (p_to, v_left, v_movement.at, v_expires, v_movement.movement_id);
  end if;
  perform audit_accounts(p_by, array[p_from, p_to], v_before);
  return json_build_object(
    'kind', 'done', 'activation', v_movement.movement_id, 'fromAmount', p_exchange.from_amount * p_times,
    'toAmount', p_exchange.to_amount * p_times,
    'expiresAt', case when v_expires < 'infinity' then milliseconds(v_expires) end
  );
end
$$;
