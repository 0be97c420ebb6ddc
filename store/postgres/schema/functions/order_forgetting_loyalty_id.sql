-- Forgets the member that has this loyalty id; without one, the loyalty id alone.
--   p_venue_limits  as of erase_member
-- Replies {"kind":"done","calculations","sales","counters","recent"} (see forget_ids) or a reply of take_order.
-- Locks: request id, lock_changes, calculations, counters, accounts, sales.
create or replace function order_forgetting_loyalty_id(
  p_by change_context, p_order_digest bytea, p_loyalty_id text, p_venue_limits text[]
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_member text;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  v_member := (select l.member_id from member_loyalty_id l where l.loyalty_id = p_loyalty_id);
  return forget_ids(
    p_by, v_member, case when v_member is null then array[p_loyalty_id] else loyalty_ids_ever(v_member) end, p_venue_limits
  );
end
$$;
