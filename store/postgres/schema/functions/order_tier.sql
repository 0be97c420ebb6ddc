-- Gives a member a tier until a moment, or ends what it was given, and announces the tier that it has then.
--   p_member, p_loyalty_id  one of them; the other is null
--   p_tier                  null: ends it; p_until is null too
-- Replies {"kind":"done"}, {"kind":"unknown_member" | "unknown_tier" | "past_end"} or a reply of take_order; except for done nothing
-- is written. Locks: request id, lock_changes, visits.
create or replace function order_tier(
  p_by change_context, p_order_digest bytea, p_member text, p_loyalty_id text, p_tier text, p_until timestamptz, p_reason text
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_member text;
  v_before text;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  v_member := lock_member(p_member, p_loyalty_id);
  if v_member is null then
    return drop_order(p_by, '{"kind":"unknown_member"}');
  end if;
  if p_tier is not null and not exists (select from value_tier t where t.tier_id = p_tier) then
    return drop_order(p_by, '{"kind":"unknown_tier"}');
  end if;
  if p_until <= clock_timestamp() then
    return drop_order(p_by, '{"kind":"past_end"}');
  end if;
  v_before := tier_snapshot(v_member);
  delete from given_tier g where g.member_id = v_member;
  insert into given_tier (member_id, tier_id, until, reason)
  select v_member, p_tier, p_until, p_reason where p_tier is not null;
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
  values (
    p_by.actor, p_by.call, p_by.request_id, 'member', v_member, v_before,
    coalesce(tier_snapshot(v_member), json_build_object('tier', null, 'reason', p_reason)::text)
  );
  perform lock_visits(array[v_member]);
  perform announce_tier(v_member);
  return keep_order(p_by, '{"kind":"done"}');
end
$$;
