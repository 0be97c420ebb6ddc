-- Blocks or unblocks a member.
-- Replies {"kind":"done"}, {"kind":"unknown_member"} or a reply of take_order. Locks: request id, lock_changes.
create or replace function order_block(p_by change_context, p_order_digest bytea, p_member text, p_blocked boolean) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_before text;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  v_before := member_snapshot(p_member);
  if v_before is null then
    return drop_order(p_by, '{"kind":"unknown_member"}');
  end if;
  -- Quotes inside the strings of a body are escaped, so this matches only the field.
  update member m
  set body = replace(m.body, '"blocked":' || (not p_blocked)::text, '"blocked":' || p_blocked::text)
  where m.member_id = p_member;
  if member_snapshot(p_member) <> v_before then
    insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
    values (p_by.actor, p_by.call, p_by.request_id, 'member', p_member, v_before, member_snapshot(p_member));
    insert into change (kind, id)
    select 'member', l.loyalty_id from member_loyalty_id l where l.member_id = p_member order by l.loyalty_id;
  end if;
  return keep_order(p_by, '{"kind":"done"}');
end
$$;
