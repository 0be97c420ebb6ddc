-- Loyalty ids that rows of an import name and other members have. Rows of merged members are passed over (heed_merges).
--   p_members    as of import_members
--   place, item  of the row and of the loyalty id in it, from 0
-- Locks: the caller holds lock_changes.
create or replace function taken_cards(p_members json)
returns table (place integer, item integer, loyalty_id text, member_id text)
language sql stable as $$
  select (n.place - 1)::integer, (l.item - 1)::integer, x.loyalty_id, x.member_id
  from rows from (json_to_recordset(p_members) as (member_id text, loyalty_ids json))
    with ordinality as n (member_id, loyalty_ids, place)
  cross join json_array_elements_text(n.loyalty_ids) with ordinality l (loyalty_id, item)
  join member_loyalty_id x on x.loyalty_id = l.loyalty_id and x.member_id <> n.member_id
  where not exists (select from merged_member g where g.member_id = n.member_id)
$$;
