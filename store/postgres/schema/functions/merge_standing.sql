-- Adds a member's visits to those of another, which gets its given tier unless it has one in force itself. The tier that it
-- has then is announced.
--   visits  how many were added
--   given   JSON of {tierId, until} of the tier that moved; null: none did
-- Locks: visits by member, after accounts; the caller holds both members.
create or replace function merge_standing(p_from text, p_into text, out visits bigint, out given json)
language plpgsql as $$
begin
  perform lock_visits(array[p_from, p_into]);
  visits := coalesce((select v.visits from member_visits v where v.member_id = p_from), 0);
  update member_visits v set visits = v.visits + f.visits
  from member_visits f where v.member_id = p_into and f.member_id = p_from;
  delete from member_visits v where v.member_id = p_from;
  if not exists (select from given_tier g where g.member_id = p_into and g.until > clock_timestamp())
    and exists (select from given_tier g where g.member_id = p_from and g.until > clock_timestamp())
  then
    delete from given_tier g where g.member_id = p_into;
    update given_tier g set member_id = p_into where g.member_id = p_from
    returning json_build_object('tierId', g.tier_id, 'until', milliseconds(g.until)) into given;
  end if;
  delete from given_tier g where g.member_id = p_from;
  delete from announced_tier a where a.member_id = p_from;
  perform announce_tier(p_into);
end
$$;
