-- Imports members. From then on a programme does not change them, and they are no longer forgotten: a person asked for it.
--   p_members  JSON array of {member_id, body, body_blocked, blocked, loyalty_ids}: the body of an active member, the body of a blocked
--              one, and which of the two applies; blocked null: as before, active where it is new
-- Rows of merged members are passed over (heed_merges).
-- Replies {"kind":"done","created","changed","unchanged","merged"} or a reply of take_order. Locks: request id, lock_changes.
create or replace function order_members(p_by change_context, p_order_digest bytea, p_members json) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_heeded record;
  v_members json;
  v_counts record;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  select h.* into v_heeded from heed_merges(p_by, p_members) h;
  select coalesce(json_agg(json_build_object(
      'member_id', n.member_id,
      'body', case when coalesce(n.blocked, (m.body::json ->> 'blocked')::boolean, false) then n.body_blocked else n.body end,
      'loyalty_ids', n.loyalty_ids
    )), '[]')
  into v_members
  from json_to_recordset(v_heeded.members)
    as n (member_id text, body text, body_blocked text, blocked boolean, loyalty_ids json)
  left join member m on m.member_id = n.member_id;
  select c.* into v_counts from change_members(v_members, p_by) c;
  delete from published_member p
  using json_to_recordset(v_members) as n (member_id text)
  where p.member_id = n.member_id;
  if exists (select from forgotten) then
    delete from forgotten f
    using (
      select forgotten_digest(k, 'member', n.member_id) as digest
      from forgetting_key k, json_to_recordset(v_members) as n (member_id text)
      union
      select forgotten_digest(k, 'loyalty', l.id)
      from forgetting_key k, json_to_recordset(v_members) as n (loyalty_ids json),
        json_array_elements_text(n.loyalty_ids) l (id)
    ) n
    where f.digest = n.digest;
  end if;
  return keep_order(p_by, json_build_object(
    'kind', 'done', 'created', v_counts.created, 'changed', v_counts.changed, 'unchanged', v_counts.unchanged,
    'merged', v_heeded.merged
  ));
end
$$;
