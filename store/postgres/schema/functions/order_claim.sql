-- Gives a member what a code is worth, once.
--   p_member, p_loyalty_id  one of them; the other is null
--   p_code                  as of code_digest
--   p_wrong_max             wrong codes of a member in an hour; then every code is refused until the first is an hour old
-- Replies
--   {"kind":"done","currencyId","amount"}
--   {"kind":"unknown_code"}, {"kind":"not_open","state"}  a wrong code: it is counted, and a repeat of the request gets this reply
--                                                         without being counted again; state: claimed, void or expired
--   {"kind":"too_many","retryAfterMs"}  nothing was looked up
--   {"kind":"unknown_member" | "blocked_member" | "out_of_range"}
--   or a reply of take_order. Locks: request id, member, its wrong codes, code, account.
create or replace function order_claim(
  p_by change_context, p_order_digest bytea, p_member text, p_loyalty_id text, p_code text, p_wrong_max integer
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_member text;
  v_wrong record;
  v_code reward_code;
  v_account bigint;
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
  select w.* into v_wrong from wrong_codes(v_member) w;
  if v_wrong.wrong >= p_wrong_max then
    return drop_order(p_by, json_build_object('kind', 'too_many', 'retryAfterMs', ceil(
      extract(epoch from v_wrong.until - clock_timestamp()) * 1000
    )));
  end if;
  select c.* into v_code from forgetting_key k join reward_code c on c.digest = code_digest(k, p_code) for update of c;
  if not found or v_code.state <> 'open' or v_code.expires_at <= clock_timestamp() then
    insert into wrong_code (member_id, at) values (v_member, clock_timestamp());
    return keep_order(p_by, case
      when v_code.digest is null then '{"kind":"unknown_code"}'
      else json_build_object('kind', 'not_open', 'state', case v_code.state when 'open' then 'expired' else v_code.state::text end)
    end);
  end if;
  v_account := (select l.account_id from lock_accounts(array[v_member], array[v_code.currency_id]) l);
  if v_code.amount > account_room(v_account, true) then
    return drop_order(p_by, '{"kind":"out_of_range"}');
  end if;
  perform claim_code(p_by, v_account, v_code);
  return keep_order(p_by, json_build_object('kind', 'done', 'currencyId', v_code.currency_id, 'amount', v_code.amount));
end
$$;
