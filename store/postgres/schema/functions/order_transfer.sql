-- Moves value from one member to another, from the lot that expires first, with its dates. It pays the debt of the receiver first.
--   p_from, p_from_loyalty_id, p_to, p_to_loyalty_id  of each pair one; the other is null
--   p_amount                                          1 or more
-- Replies
--   {"kind":"done"}
--   {"kind":"unknown_member","place"}  0: the giver, 1: the receiver
--   {"kind":"unknown_currency" | "out_of_range","place":0}, {"kind":"same_member"}, {"kind":"insufficient","available"}
--   or a reply of take_order; except for done nothing is written. Locks: request id, members, accounts.
create or replace function order_transfer(
  p_by change_context, p_order_digest bytea, p_from text, p_from_loyalty_id text, p_to text, p_to_loyalty_id text,
  p_currency text, p_amount bigint, p_reason text
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_giver text;
  v_receiver text;
  v_from bigint;
  v_to bigint;
  v_before text[];
  v_movement movement;
  v_part lot;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  v_giver := lock_member(p_from, p_from_loyalty_id);
  v_receiver := lock_member(p_to, p_to_loyalty_id);
  if v_giver is null or v_receiver is null then
    return drop_order(p_by, json_build_object('kind', 'unknown_member', 'place', (v_giver is not null)::integer));
  end if;
  if v_giver = v_receiver then
    return drop_order(p_by, '{"kind":"same_member"}');
  end if;
  if not exists (select from value_currency k where k.currency_id = p_currency) then
    return drop_order(p_by, '{"kind":"unknown_currency","place":0}');
  end if;
  if not exists (select from account a where a.member_id = v_giver and a.currency_id = p_currency) then
    return drop_order(p_by, '{"kind":"insufficient","available":0}');
  end if;
  perform lock_accounts(array[v_giver, v_receiver], array[p_currency, p_currency]);
  v_from := (select a.account_id from account a where a.member_id = v_giver and a.currency_id = p_currency);
  v_to := (select a.account_id from account a where a.member_id = v_receiver and a.currency_id = p_currency);
  if p_amount > account_available(v_from) then
    return drop_order(p_by, json_build_object('kind', 'insufficient', 'available', account_available(v_from)));
  end if;
  if p_amount > account_room(v_to, true) then
    return drop_order(p_by, '{"kind":"out_of_range","place":0}');
  end if;
  v_before := array[account_snapshot(v_from), account_snapshot(v_to)];
  v_movement := add_movement('transferred', 'request:' || p_by.request_id, p_reason, p_by.actor);
  if v_movement.movement_id is null then
    return drop_order(p_by, '{"kind":"request_id_conflict"}');
  end if;
  for v_part in select * from debit(v_movement, v_from, 'transferred', p_amount) loop
    perform fill_lots(v_movement.at, array[
      row (v_to, pay_debt(v_to, v_part.amount), v_part.opens_at, v_part.expires_at)::value_credit
    ]);
  end loop;
  perform add_entry(v_movement, v_to, 'transferred', p_amount);
  perform audit_accounts(p_by, array[v_from, v_to], v_before);
  return keep_order(p_by, '{"kind":"done"}');
end
$$;
