-- What is wrong with a list of members, which the caller has locked.
--   p_members  ids, null where nobody has the name that was given
-- Replies {"kind":"unknown_member" | "same_member","place"} of the first that is wrong, from 0; null: nothing.
create or replace function members_fault(p_members text[]) returns json
language sql volatile as $$
  select json_build_object('kind', f.kind, 'place', f.place - 1)
  from (
    select n.place, case when m.member_id is null then 'unknown_member' else 'same_member' end as kind
    from (
      select u.id, u.place, row_number() over (partition by u.id order by u.place) as times
      from unnest(p_members) with ordinality u (id, place)
    ) n
    left join member m on m.member_id = n.id
    where m.member_id is null or n.times > 1
  ) f
  order by f.place
  limit 1
$$;
