-- Gives a member the days on which another got benefits. In benefit_reach both stay as they were counted.
-- Locks: benefit_member, after everything else that a merge locks.
create or replace function merge_reach(p_from text, p_into text) returns void
language plpgsql as $$
begin
  insert into benefit_member as m (member_id, benefit_id, last_day, day_before)
  select p_into, f.benefit_id, f.last_day, f.day_before from benefit_member f where f.member_id = p_from
  order by f.benefit_id
  on conflict (member_id, benefit_id) do update set last_day = greatest(m.last_day, excluded.last_day), day_before = (
    select max(d.day) from (values (m.last_day), (m.day_before), (excluded.last_day), (excluded.day_before)) d (day)
    where d.day < greatest(m.last_day, excluded.last_day)
  );
  delete from benefit_member f where f.member_id = p_from;
end
$$;
