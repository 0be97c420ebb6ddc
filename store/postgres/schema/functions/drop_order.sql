-- Frees a request id because nothing was changed, so that it can be used again. Returns the reply.
create or replace function drop_order(p_by change_context, p_reply json) returns json
language plpgsql as $$
begin
  delete from change_order o where o.request_id = p_by.request_id;
  return p_reply;
end
$$;
