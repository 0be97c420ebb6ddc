-- Claims a request id for one administrative change. A second call with it waits for the first.
--   p_digest  SHA-256 of the request
-- Replies null: make the change and store its reply with keep_order; else the reply to give: the stored one, or
--   {"kind":"request_id_conflict"}  the id was used for another request
-- Locks: the request id, before lock_changes.
create or replace function take_order(p_by change_context, p_digest bytea) returns json
language plpgsql as $$
declare
  v_order change_order;
begin
  loop
    insert into change_order (request_id, call, digest, reply) values (p_by.request_id, p_by.call, p_digest, '')
    on conflict do nothing;
    if found then
      return null;
    end if;
    select o.* into v_order from change_order o where o.request_id = p_by.request_id;
    exit when found;
  end loop;
  if v_order.call = p_by.call and v_order.digest = p_digest then
    return v_order.reply;
  end if;
  return '{"kind":"request_id_conflict"}';
end
$$;
