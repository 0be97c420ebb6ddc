-- The rows of an import as they count where its sender may not know that members were merged:
-- - A row of a merged member is passed over. Its loyalty ids that nobody has, and no other row names, are enrolled for the member that
--   it was merged into.
-- - That member keeps the loyalty ids that came so, though its own row does not name them, unless another row names them. Once its row
--   names one of them, the sender knows of the merge, and its rows count as they are.
--   p_members  as of import_members
--   merged     rows passed over
-- Locks: the caller holds lock_changes.
create or replace function heed_merges(p_by change_context, p_members json, out members json, out merged integer)
language plpgsql as $$
declare
  v_into text;
  v_free text[];
  v_before text;
  -- Who names each loyalty id, so that an import need not be read again for each of them.
  v_named jsonb;
begin
  members := p_members;
  merged := 0;
  if not exists (select from merged_member) then
    return;
  end if;
  delete from merged_loyalty_id g
  using merged_loyalty_id o, json_to_recordset(p_members) as n (member_id text, loyalty_ids json),
    json_array_elements_text(n.loyalty_ids) l (loyalty_id)
  where g.into_id = n.member_id and o.into_id = n.member_id and o.member_id = g.member_id and o.loyalty_id = l.loyalty_id;

  for v_into, v_free in
    select g.into_id, array_agg(l.loyalty_id)
    from json_to_recordset(p_members) as n (member_id text, loyalty_ids json)
    join merged_member g on g.member_id = n.member_id
    cross join json_array_elements_text(n.loyalty_ids) l (loyalty_id)
    where not exists (select from member_loyalty_id x where x.loyalty_id = l.loyalty_id)
    group by g.into_id
    order by g.into_id
  loop
    v_before := member_snapshot(v_into);
    insert into member_loyalty_id (loyalty_id, member_id) select unnest(v_free), v_into;
    insert into merged_loyalty_id (loyalty_id, member_id, into_id)
    select l.loyalty_id, n.member_id, v_into
    from json_to_recordset(p_members) as n (member_id text, loyalty_ids json)
    join merged_member g on g.member_id = n.member_id and g.into_id = v_into
    cross join json_array_elements_text(n.loyalty_ids) l (loyalty_id)
    where l.loyalty_id = any (v_free)
    on conflict (loyalty_id) do update set member_id = excluded.member_id, into_id = excluded.into_id;
    insert into change (kind, id)
    select 'member', x.loyalty_id from member_loyalty_id x where x.member_id = v_into order by x.loyalty_id;
    insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
    values (p_by.actor, p_by.call, p_by.request_id, 'member', v_into, v_before, member_snapshot(v_into));
  end loop;

  select jsonb_object_agg(l.loyalty_id, n.member_id) into v_named
  from json_to_recordset(p_members) as n (member_id text, loyalty_ids json), json_array_elements_text(n.loyalty_ids) l (loyalty_id);
  select coalesce(json_agg(to_jsonb(n) || jsonb_build_object('loyalty_ids', case when n.loyalty_ids is not null then array(
      select json_array_elements_text(n.loyalty_ids)
      union
      select g.loyalty_id from merged_loyalty_id g
      join member_loyalty_id x on x.loyalty_id = g.loyalty_id and x.member_id = g.into_id
      where g.into_id = n.member_id and coalesce(v_named ->> g.loyalty_id, g.member_id) = g.member_id
    ) end)), '[]'), json_array_length(p_members) - count(*)
  into members, merged
  from json_to_recordset(p_members) as n (member_id text, profile text, loyalty_ids json)
  where not exists (select from merged_member g where g.member_id = n.member_id);
end
$$;
