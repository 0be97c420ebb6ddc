-- Records a return of a sale.
--   arguments and replies  as of make_return, or a reply of take_order; except for done nothing is written
-- Locks: request id, member, ladder, accounts, visits.
create or replace function order_return(
  p_by change_context, p_order_digest bytea, p_calculation uuid, p_lines text, p_kept_refund bigint, p_reference text,
  p_occurred_at timestamptz
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
begin
  if v_reply is not null then
    return v_reply;
  end if;
  v_reply := make_return(p_by, p_calculation, p_lines, p_kept_refund, p_reference, p_occurred_at);
  return case when v_reply ->> 'kind' = 'done' then keep_order(p_by, v_reply) else drop_order(p_by, v_reply) end;
end
$$;
