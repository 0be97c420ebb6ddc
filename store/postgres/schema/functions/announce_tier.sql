-- Adds the event of a member's tier (member_tier) if it is another than the one announced last.
-- Locks: the caller holds the member's visits (lock_visits), and waited for them in a statement of its own: so it sees what others earned.
create or replace function announce_tier(p_member text) returns void
language plpgsql as $$
declare
  v_tier record;
  v_before text;
begin
  if not exists (select from member m where m.member_id = p_member) then
    return;
  end if;
  select t.tier_id, t.until into v_tier from member_tier(p_member) t;
  select a.tier_id into v_before from announced_tier a where a.member_id = p_member;
  if v_tier.tier_id is distinct from v_before then
    perform add_event('tier.changed', p_member, json_build_object(
      'tierId', v_tier.tier_id, 'previousTierId', v_before, 'until', milliseconds(v_tier.until)
    ));
  end if;
  if v_tier.tier_id is null then
    delete from announced_tier a where a.member_id = p_member;
    return;
  end if;
  -- Each sale moves the end: then the row stays, and announce_tiers looks again when the old end has come.
  insert into announced_tier as a (member_id, tier_id, lapses_at) values (p_member, v_tier.tier_id, v_tier.until)
  on conflict (member_id) do update set tier_id = excluded.tier_id, lapses_at = excluded.lapses_at
  where a.tier_id <> excluded.tier_id or a.lapses_at > excluded.lapses_at or a.lapses_at <= clock_timestamp();
end
$$;
