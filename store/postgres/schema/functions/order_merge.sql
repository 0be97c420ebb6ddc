-- Merges a member into another (merge_members), or says what that would move.
--   p_from, p_from_loyalty_id, p_into, p_into_loyalty_id  of each pair one; the other is null
--   p_venue_limits                                        as of merge_counters
--   p_dry_run                                             changes nothing and keeps no request id
-- Replies
--   {"kind":"done","accounts","calculations","loyaltyIds","counters","visits","given"}
--   {"kind":"unknown_member","place"}  0: from, 1: into
--   {"kind":"same_member"}, {"kind":"out_of_range","currencyId"}
--   or a reply of take_order; except for done nothing is written.
-- Locks: request id, lock_changes, both members by id, calculations, counters, accounts, visits.
create or replace function order_merge(
  p_by change_context, p_order_digest bytea, p_from text, p_from_loyalty_id text, p_into text, p_into_loyalty_id text,
  p_venue_limits text[], p_dry_run boolean
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_from text;
  v_into text;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  v_from := coalesce(p_from, (select l.member_id from member_loyalty_id l where l.loyalty_id = p_from_loyalty_id));
  v_into := coalesce(p_into, (select l.member_id from member_loyalty_id l where l.loyalty_id = p_into_loyalty_id));
  perform 1 from member m where m.member_id in (v_from, v_into) order by m.member_id for update;
  if not exists (select from member m where m.member_id = v_from) then
    return drop_order(p_by, '{"kind":"unknown_member","place":0}');
  end if;
  if not exists (select from member m where m.member_id = v_into) then
    return drop_order(p_by, '{"kind":"unknown_member","place":1}');
  end if;
  if v_from = v_into then
    return drop_order(p_by, '{"kind":"same_member"}');
  end if;
  if exists (select from movement m where m.cause = 'request:' || p_by.request_id) then
    return drop_order(p_by, '{"kind":"request_id_conflict"}');
  end if;
  begin
    v_reply := merge_members(p_by, v_from, v_into, p_venue_limits);
    if p_dry_run or v_reply ->> 'kind' <> 'done' then
      -- Undoes everything since "begin".
      raise exception 'not to be kept' using errcode = 'LY002';
    end if;
  exception when sqlstate 'LY002' then
    return drop_order(p_by, v_reply);
  end;
  return keep_order(p_by, v_reply);
end
$$;
