-- Stores members; a loyaltyId moves to the member that names it, and past_loyalty_id records who had it before. Writes to the change
-- feed every loyaltyId, old and new, whose answer this changes.
--   p_members  JSON array of {member_id, body, loyalty_ids}
-- Every row is looked up by its key: an import must not become slower with each batch. Locks: the caller holds lock_changes.
create or replace function store_members(p_members json) returns void
language plpgsql as $$
declare
  v_changed text[];
  v_moved text[];
begin
  with stored as (
    insert into member (member_id, body)
    select m.member_id, m.body from json_to_recordset(p_members) as m (member_id text, body text)
    on conflict (member_id) do update set body = excluded.body where member.body <> excluded.body
    returning member_id
  )
  select coalesce(array_agg(member_id), '{}') into v_changed from stored;

  with wanted as (
    select m.member_id, l.loyalty_id
    from json_to_recordset(p_members) as m (member_id text, loyalty_ids json),
      json_array_elements_text(m.loyalty_ids) l (loyalty_id)
  ), had as (
    select x.loyalty_id, x.member_id from wanted w join member_loyalty_id x on x.loyalty_id = w.loyalty_id
    union
    select x.loyalty_id, x.member_id
    from json_to_recordset(p_members) as m (member_id text) join member_loyalty_id x on x.member_id = m.member_id
  ), lost as (
    delete from member_loyalty_id x using (select loyalty_id from had except select loyalty_id from wanted) l
    where x.loyalty_id = l.loyalty_id
  ), gained as (
    insert into member_loyalty_id (loyalty_id, member_id) select loyalty_id, member_id from wanted
    on conflict (loyalty_id) do update set member_id = excluded.member_id
      where member_loyalty_id.member_id <> excluded.member_id
  ), past as (
    insert into past_loyalty_id (loyalty_id, member_id)
    select loyalty_id, member_id from had except select loyalty_id, member_id from wanted
    on conflict do nothing
  ), moved as (
    (select loyalty_id, member_id from wanted except select loyalty_id, member_id from had)
    union (select loyalty_id, member_id from had except select loyalty_id, member_id from wanted)
  )
  select coalesce(array_agg(loyalty_id), '{}'), v_changed || coalesce(array_agg(member_id), '{}') into v_moved, v_changed
  from moved;

  -- The answer for a loyaltyId contains all loyaltyIds of its member.
  insert into change (kind, id)
  select 'member', u.id
  from (
    select unnest(v_moved) as id
    union
    select x.loyalty_id from member_loyalty_id x where x.member_id = any (v_changed)
  ) u
  order by u.id;
end
$$;
