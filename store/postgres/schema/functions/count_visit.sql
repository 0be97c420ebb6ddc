-- Counts one more visit of a member, or of the one that it was merged into. Nothing where there is no such member.
-- Locks: the row of the member; after accounts, before sales.
create or replace function count_visit(p_member text) returns void
language plpgsql as $$
declare
  v_into text;
begin
  insert into member_visits as v (member_id, visits)
  select m.member_id, 1 from member m where m.member_id = p_member
  on conflict (member_id) do update set visits = v.visits + 1;
  -- Also where it was merged while we waited for its row.
  select g.into_id into v_into from merged_member g where g.member_id = p_member;
  if found then
    delete from member_visits v where v.member_id = p_member;
    perform count_visit(v_into);
  end if;
end
$$;
