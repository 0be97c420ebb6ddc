-- Declines an open proposal, also one's own.
-- Replies {"kind":"done"}, or a reply of take_order or take_proposal. Locks: request id, proposal.
create or replace function order_decline(p_by change_context, p_order_digest bytea, p_proposal uuid, p_reason text)
returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
begin
  if v_reply is not null then
    return v_reply;
  end if;
  v_reply := take_proposal(p_proposal);
  if v_reply is not null then
    return drop_order(p_by, v_reply);
  end if;
  perform decide_proposal(p_by, p_proposal, null, p_reason);
  return keep_order(p_by, '{"kind":"done"}');
end
$$;
