-- store_members with audit records, also for members that lose a loyaltyId by it.
--   created, changed, unchanged  how many of the named members. Locks: lock_changes.
create or replace function change_members(
  p_members json, p_by change_context, out created integer, out changed integer, out unchanged integer
)
language plpgsql as $$
declare
  v_named text[] := array(select m.member_id from json_to_recordset(p_members) as m (member_id text));
  v_ids text[];
  v_before text[];
begin
  perform lock_changes();
  v_ids := array(
    select unnest(v_named)
    union
    select x.member_id
    from json_to_recordset(p_members) as m (loyalty_ids json), json_array_elements_text(m.loyalty_ids) l (loyalty_id)
    join member_loyalty_id x on x.loyalty_id = l.loyalty_id
  );
  v_before := array(select member_snapshot(i.id) from unnest(v_ids) with ordinality i (id, place) order by i.place);
  perform store_members(p_members);
  with compared as (
    select i.id, i.before, member_snapshot(i.id) as after from unnest(v_ids, v_before) i (id, before)
  ), recorded as (
    insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
    select p_by.actor, p_by.call, p_by.request_id, 'member', c.id, c.before, c.after
    from compared c
    where c.before is distinct from c.after
    order by c.id
    returning subject_id, before
  )
  select
      (select count(*) from recorded r where r.before is null),
      (
        select count(*) from (
          select r.subject_id from recorded r where r.before is not null intersect select unnest(v_named)
        ) named
      )
    into created, changed;
  unchanged := cardinality(v_named) - created - changed;
end
$$;
