-- Imports members. From then on a programme does not change them, and they are no longer forgotten: a person asked for it.
--   p_members  JSON array of {member_id, profile, loyalty_ids}: profile as of member_body; loyalty_ids null: as they are
--   created, changed, unchanged, merged  rows; those of merged members are passed over (heed_merges)
-- A loyalty id of another member moves. Locks: the caller holds lock_changes.
create or replace function import_members(
  p_by change_context, p_members json, out created integer, out changed integer, out unchanged integer, out merged integer
)
language plpgsql as $$
declare
  v_heeded record;
  v_members json;
begin
  select h.* into v_heeded from heed_merges(p_by, p_members) h;
  select coalesce(json_agg(json_build_object(
      'member_id', n.member_id,
      'body', member_body(n.profile, m.body),
      'loyalty_ids', coalesce(n.loyalty_ids, (
        select coalesce(json_agg(x.loyalty_id), '[]') from member_loyalty_id x where x.member_id = n.member_id
      ))
    )), '[]')
  into v_members
  from json_to_recordset(v_heeded.members) as n (member_id text, profile text, loyalty_ids json)
  left join member m on m.member_id = n.member_id;
  select c.* into created, changed, unchanged from change_members(v_members, p_by) c;
  merged := v_heeded.merged;
  delete from published_member p
  using json_to_recordset(v_members) as n (member_id text)
  where p.member_id = n.member_id;
  if exists (select from forgotten) then
    delete from forgotten f
    using (
      select forgotten_digest(k, 'member', n.member_id) as digest
      from forgetting_key k, json_to_recordset(v_members) as n (member_id text)
      union
      select forgotten_digest(k, 'loyalty', l.id)
      from forgetting_key k, json_to_recordset(v_members) as n (loyalty_ids json),
        json_array_elements_text(n.loyalty_ids) l (id)
    ) n
    where f.digest = n.digest;
  end if;
end
$$;
