-- Exchanges value of a member by the exchange of the programme between two currencies: from the lot that expires first, into a lot of its
-- own, which pays debt first.
--   p_member, p_loyalty_id  one of them; the other is null
--   p_times                 1 or more
-- Replies
--   {"kind":"done","activation","fromAmount","toAmount","expiresAt"}  expiresAt: milliseconds; null: never
--   {"kind":"unknown_member" | "blocked_member" | "unknown_exchange" | "out_of_range"}, {"kind":"insufficient","available"}
--   or a reply of take_order; except for done nothing is written. Locks: request id, member, accounts.
create or replace function order_activation(
  p_by change_context, p_order_digest bytea, p_member text, p_loyalty_id text, p_from text, p_to text, p_times integer
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_member text;
  v_exchange value_exchange;
  v_from bigint;
  v_to bigint;
  v_available bigint := 0;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  v_member := lock_member(p_member, p_loyalty_id);
  if v_member is null then
    return drop_order(p_by, '{"kind":"unknown_member"}');
  end if;
  if (select (m.body::json ->> 'blocked')::boolean from member m where m.member_id = v_member) then
    return drop_order(p_by, '{"kind":"blocked_member"}');
  end if;
  select e.* into v_exchange from value_exchange e where e.from_currency_id = p_from and e.to_currency_id = p_to;
  if not found then
    return drop_order(p_by, '{"kind":"unknown_exchange"}');
  end if;
  if exists (select from account a where a.member_id = v_member and a.currency_id = p_from) then
    perform lock_accounts(array[v_member, v_member], array[p_from, p_to]);
    v_from := (select a.account_id from account a where a.member_id = v_member and a.currency_id = p_from);
    v_to := (select a.account_id from account a where a.member_id = v_member and a.currency_id = p_to);
    v_available := account_available(v_from);
  end if;
  -- Numeric: many times a large amount pass a bigint.
  if v_exchange.from_amount::numeric * p_times > v_available then
    return drop_order(p_by, json_build_object('kind', 'insufficient', 'available', v_available));
  end if;
  if v_exchange.to_amount::numeric * p_times > account_room(v_to, true) then
    return drop_order(p_by, '{"kind":"out_of_range"}');
  end if;
  v_reply := activate(p_by, v_exchange, v_from, v_to, p_times);
  return case when v_reply ->> 'kind' = 'done' then keep_order(p_by, v_reply) else drop_order(p_by, v_reply) end;
end
$$;
