-- Exchanges value of a member by the programme's exchange between two currencies, p_times: from the lot that expires first, into a lot of
-- its own, which pays debt first.
-- Replies
--   {"kind":"done","activation","fromAmount","toAmount","expiresAt"}  expiresAt: milliseconds; null: never
--   {"kind":"unknown_member" | "blocked_member" | "unknown_exchange" | "out_of_range"}, {"kind":"insufficient","available"}
create or replace function change_activation(
  p_by change_context, p_member text, p_loyalty_id text, p_from text, p_to text, p_times integer
) returns json
language plpgsql as $$
declare
  v_member text;
  v_exchange value_exchange;
  v_from bigint;
  v_to bigint;
  v_available bigint := 0;
begin
  v_member := lock_member(p_member, p_loyalty_id);
  perform refuse('{"kind":"unknown_member"}') where v_member is null;
  perform refuse('{"kind":"blocked_member"}') where (select m.blocked from member m where m.member_id = v_member);
  select e.* into v_exchange from value_exchange e where e.from_currency_id = p_from and e.to_currency_id = p_to;
  perform refuse('{"kind":"unknown_exchange"}') where not found;
  if exists (select from account a where a.member_id = v_member and a.currency_id = p_from) then
    perform lock_accounts(array[v_member, v_member], array[p_from, p_to]);
    v_from := (select a.account_id from account a where a.member_id = v_member and a.currency_id = p_from);
    v_to := (select a.account_id from account a where a.member_id = v_member and a.currency_id = p_to);
    v_available := account_available(v_from);
  end if;
  -- Numeric: many times a large amount pass a bigint.
  perform refuse(json_build_object('kind', 'insufficient', 'available', v_available))
  where v_exchange.from_amount::numeric * p_times > v_available;
  perform refuse('{"kind":"out_of_range"}') where v_exchange.to_amount::numeric * p_times > account_room(v_to, true);
  return activate(p_by, v_exchange, v_from, v_to, p_times);
end
$$;

create or replace function activate(p_by change_context, p_exchange value_exchange, p_from bigint, p_to bigint, p_times integer)
returns json
language plpgsql as $$
declare
  v_before text[] := array[account_snapshot(p_from), account_snapshot(p_to)];
  v_movement movement := add_movement('activated', 'request:' || p_by.request_id, '', p_by.actor);
  v_expires timestamptz := coalesce(v_movement.at + p_exchange.valid_days * interval '24 hours', 'infinity');
  v_left bigint;
begin
  perform refuse('{"kind":"request_id_conflict"}') where v_movement.movement_id is null;
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

-- Takes back an activation as far as the value given is free and not expired, and the value taken has not expired meanwhile: in whole
-- times, with the old dates, from the lot that was taken last. Value that comes back pays debt first.
-- Replies
--   {"kind":"done","times","fromAmount","toAmount"}  fromAmount came back, toAmount was taken
--   {"kind":"unknown_activation" | "nothing_unused" | "out_of_range"}
create or replace function change_cancellation(p_by change_context, p_activation bigint) returns json
language plpgsql as $$
declare
  v_activation activation;
  v_member text;
  v_times bigint;
begin
  select a.* into v_activation from activation a where a.activation_id = p_activation;
  v_member := lock_member((select a.member_id from account a where a.account_id = v_activation.from_account), null);
  perform refuse('{"kind":"unknown_activation"}') where v_member is null;
  perform lock_accounts(array[v_member, v_member], array(
    select a.currency_id from account a where a.account_id in (v_activation.from_account, v_activation.to_account)
  ));
  v_times := least(
    div((
      select coalesce(sum(l.amount - l.held), 0) from lot l
      where l.account_id = v_activation.to_account and l.activation_id = p_activation and l.expires_at > clock_timestamp()
    ), v_activation.to_amount),
    div((
      select coalesce(sum(p.amount), 0) from activation_part p
      where p.activation_id = p_activation and p.expires_at > clock_timestamp()
    ), v_activation.from_amount)
  );
  perform refuse('{"kind":"nothing_unused"}') where v_times = 0;
  perform refuse('{"kind":"out_of_range"}')
  where v_times * v_activation.from_amount > account_room(v_activation.from_account, true);
  return deactivate(p_by, v_activation, v_times);
end
$$;

-- Takes back p_times of an activation: the value given goes, and the value taken comes back with its dates, the last part first. The caller holds
-- the accounts.
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
  perform refuse('{"kind":"request_id_conflict"}') where v_movement.movement_id is null;
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
