-- Announces tiers whose time is over (announce_tier), the longest over first.
--   p_max  members at most; those that another call has locked wait for the next run
-- Replies how many members it went through. Locks: visits by member.
create or replace function announce_tiers(p_max integer) returns integer
language plpgsql as $$
declare
  v_member text;
  v_count integer := 0;
begin
  for v_member in
    select v.member_id from member_visits v
    where v.member_id in (
      select a.member_id from announced_tier a where a.lapses_at <= clock_timestamp() order by a.lapses_at limit p_max
    )
    order by v.member_id
    for update skip locked
  loop
    perform announce_tier(v_member);
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;
