-- Ends a code that nobody has claimed.
--   p_code  as of code_digest
-- Replies {"kind":"done"} (also of a code that is void already), {"kind":"unknown_code"}, {"kind":"not_open","state":"claimed"} or a
-- reply of take_order; except for done nothing is written. Locks: request id, code.
create or replace function order_void(p_by change_context, p_order_digest bytea, p_code text) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_code reward_code;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  select c.* into v_code from forgetting_key k join reward_code c on c.digest = code_digest(k, p_code) for update of c;
  if not found then
    return drop_order(p_by, '{"kind":"unknown_code"}');
  end if;
  if v_code.state = 'claimed' then
    return drop_order(p_by, '{"kind":"not_open","state":"claimed"}');
  end if;
  if v_code.state = 'open' then
    update reward_code c set state = 'void' where c.digest = v_code.digest;
    perform audit_codes(
      p_by, v_code.currency_id, json_build_object('amount', v_code.amount, 'state', 'open'),
      json_build_object('amount', v_code.amount, 'state', 'void')
    );
  end if;
  return keep_order(p_by, '{"kind":"done"}');
end
$$;
