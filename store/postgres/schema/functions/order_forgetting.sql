-- Forgets a member with every loyalty id it ever had.
--   p_venue_limits  as of erase_member
-- Replies {"kind":"done","calculations","sales","counters","recent"} (see forget_ids), {"kind":"unknown_member"} or a reply of take_order.
-- Locks: request id, lock_changes, calculations, counters, accounts, sales.
create or replace function order_forgetting(
  p_by change_context, p_order_digest bytea, p_member text, p_venue_limits text[]
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  if not exists (select from member m where m.member_id = p_member) then
    return drop_order(p_by, '{"kind":"unknown_member"}');
  end if;
  return forget_ids(p_by, p_member, loyalty_ids_ever(p_member), p_venue_limits);
end
$$;
