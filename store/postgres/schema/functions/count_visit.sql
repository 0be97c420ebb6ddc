-- Counts one more visit of a member. Nothing where there is no such member.
-- Locks: the row of the member; after accounts, before sales.
create or replace function count_visit(p_member text) returns void
language sql as $$
  insert into member_visits as v (member_id, visits)
  select m.member_id, 1 from member m where m.member_id = p_member
  on conflict (member_id) do update set visits = v.visits + 1
$$;
