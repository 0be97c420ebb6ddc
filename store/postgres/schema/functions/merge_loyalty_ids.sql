-- Moves the loyalty ids of a member to another, which keeps them also where an import does not know of the merge (heed_merges).
-- Writes every loyalty id of both to the change feed.
-- Replies how many moved. Locks: the caller holds lock_changes.
create or replace function merge_loyalty_ids(p_from text, p_into text) returns integer
language plpgsql as $$
declare
  v_moved text[];
begin
  with moved as (
    update member_loyalty_id l set member_id = p_into where l.member_id = p_from returning l.loyalty_id
  )
  select coalesce(array_agg(loyalty_id), '{}') into v_moved from moved;
  insert into past_loyalty_id (member_id, loyalty_id)
  select p_into, p.loyalty_id from past_loyalty_id p where p.member_id = p_from
  on conflict do nothing;
  insert into past_loyalty_id (member_id, loyalty_id) select p_from, unnest(v_moved) on conflict do nothing;
  update merged_loyalty_id g set into_id = p_into where g.into_id = p_from;
  insert into merged_loyalty_id (loyalty_id, member_id, into_id)
  select unnest(v_moved), p_from, p_into
  on conflict (loyalty_id) do update set member_id = excluded.member_id, into_id = excluded.into_id;
  insert into change (kind, id)
  select 'member', l.loyalty_id from member_loyalty_id l where l.member_id = p_into order by l.loyalty_id;
  return cardinality(v_moved);
end
$$;
