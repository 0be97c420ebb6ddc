-- Takes back an activation as far as what it gave is free and not expired, and what it took has not expired meanwhile: in whole times,
-- with the old dates, from the lot that was taken last. What comes back pays debt first.
--   p_activation  the movement of the activation
-- Replies
--   {"kind":"done","times","fromAmount","toAmount"}  fromAmount came back, toAmount was taken
--   {"kind":"unknown_activation" | "nothing_unused" | "out_of_range"}
--   or a reply of take_order; except for done nothing is written. Locks: request id, member, accounts.
create or replace function order_cancellation(p_by change_context, p_order_digest bytea, p_activation bigint) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_activation activation;
  v_member text;
  v_times bigint;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  select a.* into v_activation from activation a where a.activation_id = p_activation;
  v_member := lock_member((select a.member_id from account a where a.account_id = v_activation.from_account), null);
  if v_member is null then
    return drop_order(p_by, '{"kind":"unknown_activation"}');
  end if;
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
  if v_times = 0 then
    return drop_order(p_by, '{"kind":"nothing_unused"}');
  end if;
  if v_times * v_activation.from_amount > account_room(v_activation.from_account, true) then
    return drop_order(p_by, '{"kind":"out_of_range"}');
  end if;
  v_reply := deactivate(p_by, v_activation, v_times);
  return case when v_reply ->> 'kind' = 'done' then keep_order(p_by, v_reply) else drop_order(p_by, v_reply) end;
end
$$;
