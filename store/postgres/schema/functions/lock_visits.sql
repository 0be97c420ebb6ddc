-- Locks the counts of visits of these members, so that two batches lock them in the same order; creates those that are missing.
-- Locks: by member_id; after accounts, before sales.
create or replace function lock_visits(p_members text[]) returns void
language sql as $$
  insert into member_visits as v (member_id, visits)
  select distinct m.member_id, 0 from member m where m.member_id = any (p_members)
  order by m.member_id
  on conflict (member_id) do update set visits = v.visits
$$;
