-- Stores the members that a programme names, with audit records. Rules:
-- - A member that is known keeps `blocked`. If an import set it last, it keeps everything.
-- - A loyalty id that such an imported member has stays with it.
-- - Forgotten members and loyalty ids are left out, and so are the names that stand for them in documents (forgotten-UUID).
-- - Merged members are left out.
-- - A new member without a loyalty id left is not stored.
--   p_members  JSON array of {member_id, body, loyalty_ids}
-- Locks: lock_changes.
create or replace function enrol_members(p_members json, p_by change_context) returns void
language plpgsql
-- Sessions turn hash joins off (planning.ts), but a programme may name many members.
set enable_hashjoin = on
as $$
declare
  v_members json;
begin
  perform lock_changes();
  with gone_members as materialized (
    select f.id from forgotten_among('member', (
      select coalesce(json_agg(n.member_id), '[]') from json_to_recordset(p_members) as n (member_id text)
    )) f (id)
  ), gone_loyalty_ids as materialized (
    select f.id from forgotten_among('loyalty', (
      select coalesce(json_agg(l.id), '[]')
      from json_to_recordset(p_members) as n (loyalty_ids json), json_array_elements_text(n.loyalty_ids) l (id)
    )) f (id)
  ), named as (
    select n.member_id, n.body, m.body as known_body, array(
        select l.id
        from json_array_elements_text(n.loyalty_ids) l (id)
        left join member_loyalty_id x on x.loyalty_id = l.id
        where l.id not in (select g.id from gone_loyalty_ids g) and not stands_for_forgotten(l.id) and (
          x.member_id is null or x.member_id = n.member_id
          or exists (select from published_member h where h.member_id = x.member_id)
        )
      ) as loyalty_ids
    from json_to_recordset(p_members) as n (member_id text, body text, loyalty_ids json)
    left join member m on m.member_id = n.member_id
    where (m.member_id is null or exists (select from published_member p where p.member_id = n.member_id))
      and n.member_id not in (select g.id from gone_members g)
      and not exists (select from merged_member g where g.member_id = n.member_id)
      and not stands_for_forgotten(n.member_id)
  )
  -- Quotes inside the strings of a body are escaped, so this matches only the field.
  select coalesce(json_agg(json_build_object(
      'member_id', n.member_id,
      'body', case
          when n.known_body is null then n.body
          when strpos(n.known_body, '"blocked":true') > 0 then replace(n.body, '"blocked":false', '"blocked":true')
          else replace(n.body, '"blocked":true', '"blocked":false')
        end,
      'loyalty_ids', to_json(n.loyalty_ids)
    )), '[]')
  into v_members
  from named n
  where n.known_body is not null or cardinality(n.loyalty_ids) > 0;

  perform change_members(v_members, p_by);
  insert into published_member (member_id)
  select m.member_id from json_to_recordset(v_members) as m (member_id text)
  on conflict do nothing;
end
$$;
