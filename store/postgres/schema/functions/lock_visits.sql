-- Locks the counts of visits of these members, so that two batches lock them in the same order; creates those that are missing. Of a
-- merged member it is that of the one that it was merged into.
-- Locks: by member_id; after accounts, before sales.
create or replace function lock_visits(p_members text[]) returns void
language sql as $$
  insert into member_visits as v (member_id, visits)
  select distinct m.member_id, 0 from member m where m.member_id in (
    select coalesce(g.into_id, n.member_id) from unnest(p_members) n (member_id)
    left join merged_member g on g.member_id = n.member_id
  )
  order by m.member_id
  on conflict (member_id) do update set visits = v.visits
$$;
