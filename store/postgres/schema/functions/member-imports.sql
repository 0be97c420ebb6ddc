-- Stores members (import_members), all or none, or lists the changes that this would make.
--   p_move_cards  loyalty ids of other members move; else card_taken
-- Replies
--   {"kind":"done","created","changed","unchanged","merged","movedCards","moved"}  moved: as `taken`, of a dry run only, for a stored
--                                                                                  reply has no ids
--   {"kind":"card_taken","cards","taken":[{"place","item","loyaltyId","memberId"}]}  how many, and the first 100
--   {"kind":"no_card","places"}  rows of new members without a loyalty id, from 0
create or replace function upsert_members(
  p_by change_context, p_members json, p_move_cards boolean, p_dry_run boolean
) returns json
language plpgsql as $$
declare
  v_reply json;
  v_cards bigint;
  v_taken json;
  v_places json;
  v_counts record;
begin
  perform lock_changes();
  select count(*), coalesce(json_agg(json_build_object(
      'place', t.place, 'item', t.item, 'loyaltyId', t.loyalty_id, 'memberId', t.member_id
    ) order by t.number) filter (where t.number <= 100), '[]')
  into v_cards, v_taken
  from (select c.*, row_number() over (order by c.place, c.item) as number from taken_cards(p_members) c) t;
  perform refuse(json_build_object('kind', 'card_taken', 'cards', v_cards, 'taken', v_taken)) where v_cards > 0 and not p_move_cards;
  select json_agg(n.place - 1 order by n.place) into v_places
  from rows from (json_to_recordset(p_members) as (member_id text, loyalty_ids json))
    with ordinality as n (member_id, loyalty_ids, place)
  where n.loyalty_ids is null and not exists (select from member m where m.member_id = n.member_id)
    and not exists (select from merged_member g where g.member_id = n.member_id);
  perform refuse(json_build_object('kind', 'no_card', 'places', v_places)) where v_places is not null;
  select i.* into v_counts from import_members(p_by, p_members) i;
  v_reply := json_build_object(
    'kind', 'done', 'created', v_counts.created, 'changed', v_counts.changed, 'unchanged', v_counts.unchanged,
    'merged', v_counts.merged, 'movedCards', v_cards, 'moved', case when p_dry_run then v_taken else '[]' end
  );
  perform refuse(v_reply) where p_dry_run;
  return v_reply;
end
$$;

-- Imports members. From then on a programme does not change them, and they are no longer forgotten. A loyalty id of another member moves.
--   p_members  JSON array of {member_id, profile, loyalty_ids}: profile as of member_body; loyalty_ids null: as they are
--   created, changed, unchanged, merged  rows; rows of merged members are passed over (redirect_merged_rows)
create or replace function import_members(
  p_by change_context, p_members json, out created integer, out changed integer, out unchanged integer, out merged integer
)
language plpgsql as $$
declare
  v_redirected record;
  v_members json;
begin
  select r.* into v_redirected from redirect_merged_rows(p_by, p_members) r;
  select coalesce(json_agg(json_build_object(
      'member_id', n.member_id,
      'body', member_body(n.profile, m.body),
      'loyalty_ids', coalesce(n.loyalty_ids, (
        select coalesce(json_agg(x.loyalty_id), '[]') from member_loyalty_id x where x.member_id = n.member_id
      ))
    )), '[]')
  into v_members
  from json_to_recordset(v_redirected.members) as n (member_id text, profile text, loyalty_ids json)
  left join member m on m.member_id = n.member_id;
  select c.* into created, changed, unchanged from apply_members(v_members, p_by) c;
  merged := v_redirected.merged;
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

create or replace function redirect_merged_rows(p_by change_context, p_members json, out members json, out merged integer)
language plpgsql as $$
declare
  v_into text;
  v_free text[];
  v_before text;
  -- The rows by loyalty id, so that an import need not be read again for each of them.
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
    perform add_audit(p_by, 'member', v_into, v_before, member_snapshot(v_into));
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

-- The body of a member after a change, written as JSON.stringify does, so that equal bodies have equal text.
--   p_profile  JSON of {tier, segments, blocked, birthday, joinedOn}; a field that is left out stays as it is
--   p_body     the body before; null: the member is new
create or replace function member_body(p_profile text, p_body text) returns text
language sql immutable as $$
  select '{"tier":' || coalesce((n.p -> 'tier')::text, (n.b -> 'tier')::text, 'null')
    || ',"segments":' || coalesce((n.p -> 'segments')::text, (n.b -> 'segments')::text, '[]')
    || ',"blocked":' || coalesce((n.p -> 'blocked')::text, (n.b -> 'blocked')::text, 'false')
    || coalesce(',"birthday":' || nullif(coalesce((n.p -> 'birthday')::text, (n.b -> 'birthday')::text), 'null'), '')
    || coalesce(',"joinedOn":' || nullif(coalesce((n.p -> 'joinedOn')::text, (n.b -> 'joinedOn')::text), 'null'), '')
    || '}'
  from (select p_profile::json as p, p_body::json as b) n
$$;

-- Loyalty ids that rows of an import name and other members have: place of the row and item in it, from 0. Rows of merged members are
-- passed over.
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

-- Loyalty ids that a programme names for one member and another has, as taken_cards, unless the programme also names the other and
-- so lists its loyalty ids. is_taken: the publication takes it; else it stays.
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

-- Stores the members that a programme names ({member_id, body, loyalty_ids}), with audit records. Rules:
-- - A stored member keeps `blocked`. If an import set it last, it keeps everything, also its loyalty ids.
-- - Forgotten members and loyalty ids are left out, the names that replace them in documents (forgotten-UUID), and merged members.
-- - A new member without a loyalty id left is not stored.
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
    select n.member_id, n.body, m.blocked, array(
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
  select coalesce(json_agg(json_build_object(
      'member_id', n.member_id,
      'body', case when n.blocked is null then n.body else member_body(json_build_object('blocked', n.blocked)::text, n.body) end,
      'loyalty_ids', to_json(n.loyalty_ids)
    )), '[]')
  into v_members
  from named n
  where n.blocked is not null or cardinality(n.loyalty_ids) > 0;

  perform apply_members(v_members, p_by);
  insert into published_member (member_id)
  select m.member_id from json_to_recordset(v_members) as m (member_id text)
  on conflict do nothing;
end
$$;

create or replace function apply_members(
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
  select a.* into created, changed
  from add_audits(p_by, 'member', v_ids, v_before, array(
    select member_snapshot(i.id) from unnest(v_ids) with ordinality i (id, place) order by i.place
  ), v_named) a;
  unchanged := cardinality(v_named) - created - changed;
end
$$;

-- Stores members; a loyaltyId moves to the member that names it, and past_loyalty_id records who had it before. Writes to the change
-- feed every loyaltyId whose answer this changes. Every row is looked up by its key: an import must not become slower with each batch.
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
