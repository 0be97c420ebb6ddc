-- Loyalty ids that a programme names for one member and another has, unless the programme names that one too and so says what it keeps.
--   p_members  as of enrol_members
--   place, item, loyalty_id, member_id  as of taken_cards
--   is_taken   the publication takes it (enrol_members); else it stays
create or replace function cards_of_others(p_members json)
returns table (place integer, item integer, loyalty_id text, member_id text, is_taken boolean)
language sql stable
-- Sessions turn hash joins off (planning.ts), but a programme may name many members.
set enable_hashjoin = on
as $$
  select t.place, t.item, t.loyalty_id, t.member_id, p.member_id is not null
  from taken_cards(p_members) t
  left join published_member p on p.member_id = t.member_id
  where p.member_id is null or t.member_id not in (select n.member_id from json_to_recordset(p_members) as n (member_id text))
$$;
