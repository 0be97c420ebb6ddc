-- Issues an amount of a currency to each of some members, or to a part of a segment.
--   p_members     JSON array of {member_id, loyalty_id}, one of them; null: the segment
--   p_segment     to at most p_max of its members, by their ids, behind p_after; null: the members
--   p_expires_at  null: never
-- Replies
--   {"kind":"done","members","last"}  how many; last: the member to go on behind, where the segment may have more, else null
--   {"kind":"unknown_member" | "same_member" | "out_of_range","place"}  the first such member, from 0
--   {"kind":"unknown_currency" | "past_expiry"}
--   or a reply of take_order; except for done nothing is written. Locks: request id, members, accounts.
create or replace function order_vouchers(
  p_by change_context, p_order_digest bytea, p_members json, p_segment text, p_after text, p_max integer,
  p_currency text, p_amount bigint, p_expires_at timestamptz
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_found text[];
  v_members text[];
  v_fault json;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  if not exists (select from value_currency k where k.currency_id = p_currency) then
    return drop_order(p_by, '{"kind":"unknown_currency"}');
  end if;
  if p_expires_at <= clock_timestamp() then
    return drop_order(p_by, '{"kind":"past_expiry"}');
  end if;
  if p_segment is null then
    select array_agg(coalesce(
      n.member_id, (select l.member_id from member_loyalty_id l where l.loyalty_id = n.loyalty_id)
    )) into v_found
    from json_to_recordset(p_members) as n (member_id text, loyalty_id text);
  else
    v_found := array(select segment_members(p_segment, p_after, p_max));
  end if;
  perform 1 from member m where m.member_id = any (v_found) order by m.member_id for key share;
  -- One of the segment may have been forgotten meanwhile.
  v_members := case when p_segment is null then v_found else array(
    select m.member_id from member m where m.member_id = any (v_found) order by m.member_id
  ) end;
  v_fault := coalesce(
    members_fault(v_members), issue_vouchers(p_by, v_members, p_currency, p_amount, coalesce(p_expires_at, 'infinity'))
  );
  if v_fault is not null then
    return drop_order(p_by, v_fault);
  end if;
  return keep_order(p_by, json_build_object(
    'kind', 'done', 'members', cardinality(v_members),
    'last', case when p_segment is not null and cardinality(v_found) = p_max then v_found[p_max] end
  ));
end
$$;
