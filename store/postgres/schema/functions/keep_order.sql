-- Stores the reply of a change that was made, and returns it.
create or replace function keep_order(p_by change_context, p_reply json) returns json
language plpgsql as $$
begin
  update change_order o set reply = p_reply::text where o.request_id = p_by.request_id;
  return p_reply;
end
$$;
