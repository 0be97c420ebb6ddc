-- store_venues with audit records, also for venues that lose a baxId by it.
--   created, changed  how many of the named venues. Locks: lock_changes.
create or replace function change_venues(p_venues json, p_by change_context, out created integer, out changed integer)
language plpgsql as $$
declare
  v_named text[] := array(select v.venue_id from json_to_recordset(p_venues) as v (venue_id text));
  v_ids text[];
  v_before text[];
begin
  perform lock_changes();
  v_ids := array(
    select unnest(v_named)
    union
    select x.venue_id
    from json_to_recordset(p_venues) as v (bax_ids json), json_array_elements_text(v.bax_ids) b (bax_id)
    join bax x on x.bax_id = b.bax_id
  );
  v_before := array(select venue_snapshot(i.id) from unnest(v_ids) with ordinality i (id, place) order by i.place);
  perform store_venues(p_venues);
  with compared as (
    select i.id, i.before, venue_snapshot(i.id) as after from unnest(v_ids, v_before) i (id, before)
  ), recorded as (
    insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
    select p_by.actor, p_by.call, p_by.request_id, 'venue', c.id, c.before, c.after
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
end
$$;
