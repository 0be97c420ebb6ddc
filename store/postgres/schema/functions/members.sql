-- Stores members (import_members), all or none, or lists the changes that this would make.
--   p_move_cards  loyalty ids of other members move; else card_taken
-- Replies
--   {"kind":"done","created","changed","unchanged","merged","movedCards","moved"}  moved: as `taken`, of a dry run only, for a stored
--                                                                                  reply has no ids
--   {"kind":"card_taken","cards","taken":[{"place","item","loyaltyId","memberId"}]}  how many, and the first 100
--   {"kind":"no_card","places"}  rows of new members without a loyalty id, from 0
create or replace function upsert_members(
  p_by change_context, p_digest bytea, p_members json, p_move_cards boolean, p_dry_run boolean
) returns json
language plpgsql as $$
declare
  v_reply json := claim_request(p_by, p_digest);
  v_cards bigint;
  v_taken json;
  v_places json;
  v_counts record;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  select count(*), coalesce(json_agg(json_build_object(
      'place', t.place, 'item', t.item, 'loyaltyId', t.loyalty_id, 'memberId', t.member_id
    ) order by t.number) filter (where t.number <= 100), '[]')
  into v_cards, v_taken
  from (select c.*, row_number() over (order by c.place, c.item) as number from taken_cards(p_members) c) t;
  if v_cards > 0 and not p_move_cards then
    return free_request(p_by, json_build_object('kind', 'card_taken', 'cards', v_cards, 'taken', v_taken));
  end if;
  select json_agg(n.place - 1 order by n.place) into v_places
  from rows from (json_to_recordset(p_members) as (member_id text, loyalty_ids json))
    with ordinality as n (member_id, loyalty_ids, place)
  where n.loyalty_ids is null and not exists (select from member m where m.member_id = n.member_id)
    and not exists (select from merged_member g where g.member_id = n.member_id);
  if v_places is not null then
    return free_request(p_by, json_build_object('kind', 'no_card', 'places', v_places));
  end if;
  begin
    select i.* into v_counts from import_members(p_by, p_members) i;
    if p_dry_run then
      -- Undoes everything since "begin".
      raise exception 'not to be kept' using errcode = 'LY002';
    end if;
  exception when sqlstate 'LY002' then
  end;
  v_reply := json_build_object(
    'kind', 'done', 'created', v_counts.created, 'changed', v_counts.changed, 'unchanged', v_counts.unchanged,
    'merged', v_counts.merged, 'movedCards', v_cards, 'moved', case when p_dry_run then v_taken else '[]' end
  );
  return case when p_dry_run then free_request(p_by, v_reply) else store_reply(p_by, v_reply) end;
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

  perform apply_members(v_members, p_by);
  insert into published_member (member_id)
  select m.member_id from json_to_recordset(v_members) as m (member_id text)
  on conflict do nothing;
end
$$;

-- store_members with audit records, also for members that lose a loyaltyId by it. Counts the named members.
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

-- A member for audit records, JSON; null: there is none.
create or replace function member_snapshot(p_member text) returns text
language sql stable as $$
  select '{"loyaltyIds":' || coalesce((
      select json_agg(l.loyalty_id order by l.loyalty_id)::text from member_loyalty_id l where l.member_id = m.member_id
    ), '[]') || ',"profile":' || m.body || '}'
  from member m where m.member_id = p_member
$$;

-- The loyalty ids in an audit record of a member, a JSON array; null: the record is of an account. Quotes inside an id are escaped.
create or replace function snapshot_loyalty_ids(p_snapshot text) returns json
language sql immutable as $$
  select case when strpos(p_snapshot, ',"profile":') > 0 then
    (split_part(p_snapshot, ',"profile":', 1) || '}')::json -> 'loyaltyIds'
  end
$$;

-- Loyalty ids that a change moved between this member and another, a JSON array of {loyaltyId, from, to}. They are read from the record
-- of the other member, which goes when that one is forgotten.
create or replace function audit_cards(p_request uuid, p_member text, p_before text, p_after text) returns json
language sql stable as $$
  with had as (
    select l.id from json_array_elements_text(snapshot_loyalty_ids(p_before)) l (id)
  ), has as (
    select l.id from json_array_elements_text(snapshot_loyalty_ids(p_after)) l (id)
  ), moved as (
    (select a.id, true as is_gained from has a except select h.id, true from had h)
    union all
    (select h.id, false from had h except select a.id, false from has a)
  )
  select coalesce(json_agg(json_build_object(
      'loyaltyId', m.id, 'from', case when m.is_gained then o.subject_id else p_member end,
      'to', case when m.is_gained then p_member else o.subject_id end
    ) order by m.id), '[]')
  from moved m
  cross join lateral (
    select p.member_id from past_loyalty_id p where p.loyalty_id = m.id
    union
    select x.member_id from member_loyalty_id x where x.loyalty_id = m.id
  ) c
  join audit_record o on o.subject_kind = 'member' and o.subject_id = c.member_id and o.request_id = p_request
  where c.member_id <> p_member
    and m.id in (
      select json_array_elements_text(snapshot_loyalty_ids(case when m.is_gained then o.before else o.after end))
    )
    and m.id not in (
      select json_array_elements_text(snapshot_loyalty_ids(case when m.is_gained then o.after else o.before end))
    )
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

-- Blocks or unblocks a member. Replies {"kind":"done"} or {"kind":"unknown_member"}.
create or replace function change_block(p_by change_context, p_digest bytea, p_member text, p_blocked boolean) returns json
language plpgsql as $$
declare
  v_reply json := claim_request(p_by, p_digest);
  v_before text;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  v_before := member_snapshot(p_member);
  if v_before is null then
    return free_request(p_by, '{"kind":"unknown_member"}');
  end if;
  -- Quotes inside the strings of a body are escaped, so this matches only the field.
  update member m
  set body = replace(m.body, '"blocked":' || (not p_blocked)::text, '"blocked":' || p_blocked::text)
  where m.member_id = p_member;
  if member_snapshot(p_member) <> v_before then
    perform add_audit(p_by, 'member', p_member, v_before, member_snapshot(p_member));
    insert into change (kind, id)
    select 'member', l.loyalty_id from member_loyalty_id l where l.member_id = p_member order by l.loyalty_id;
  end if;
  return store_reply(p_by, '{"kind":"done"}');
end
$$;

-- The part of a member that only the ledger has and prices depend on, as JSON:
--   balances         open and not expired, held or not
--   holds            held parts of them, of open calculations: {calculationId, currencyId, amount}
--   visits, lastVisitAt (milliseconds; null: none)
--   birthdayPeriods  the last one of each limit that has such
--   tier             null where nothing gives it one
create or replace function member_hints(p_member text) returns json
language sql stable as $$
  select json_build_object('balances', coalesce((
    select json_object_agg(b.currency_id, b.amount)
    from (
      select a.currency_id, sum(l.amount)::bigint as amount
      from account a join lot l on l.account_id = a.account_id
      where a.member_id = p_member and l.opens_at <= statement_timestamp() and l.expires_at > statement_timestamp()
      group by a.currency_id
    ) b
  ), '{}'),
  'holds', coalesce((
    select json_agg(json_build_object('calculationId', h.calculation_id, 'currencyId', a.currency_id, 'amount', h.amount))
    from account a join value_hold h on h.account_id = a.account_id
    where a.member_id = p_member and h.held_until > statement_timestamp()
  ), '[]'),
  'visits', coalesce(v.visits, 0),
  'lastVisitAt', milliseconds(v.last_at),
  'birthdayPeriods', coalesce((
    select json_object_agg(b.limit_id, b.period)
    from (
      select k.limit_id, max(k.period) as period from limit_counter k
      where k.subject = p_member and k.period like 'birthday-%' group by k.limit_id
    ) b
  ), '{}'),
  'tier', (select t.tier_id from member_tier(p_member) t))
  from (select) one left join member_visits v on v.member_id = p_member
$$;

-- The member that has the value of a member now: itself, or the one that it was merged into; an unknown one as named. It is protected from
-- being merged or forgotten until the end of the transaction.
create or replace function living_member(p_member text) returns text
language plpgsql as $$
declare
  v_member text := p_member;
begin
  loop
    perform 1 from member m where m.member_id = v_member for key share;
    if found then
      return v_member;
    end if;
    select g.into_id into v_member from merged_member g where g.member_id = p_member;
    if not found then
      return p_member;
    end if;
    -- It may be merged meanwhile, or forgotten: then there is none to follow.
    exit when not exists (select from member m where m.member_id = v_member);
  end loop;
  return v_member;
end
$$;

-- Finds a member by its id or by a loyalty id (the other is null), and protects it from being forgotten or merged until the end of the
-- transaction. Replies its id; null: there is none.
create or replace function lock_member(p_member text, p_loyalty_id text) returns text
language sql volatile as $$
  select m.member_id from member m where m.member_id = named_member(p_member, p_loyalty_id) for key share
$$;

-- A member by its own id or, where that is null, by one of its loyalty ids.
create or replace function named_member(p_member text, p_loyalty_id text) returns text
language sql stable as $$
  select coalesce(p_member, (select l.member_id from member_loyalty_id l where l.loyalty_id = p_loyalty_id))
$$;

-- Writes to the audit records that a member is exported. Replies {pastLoyaltyIds, mergedMemberIds}, ascending.
create or replace function note_export(p_by change_context, p_member text) returns json
language plpgsql as $$
begin
  perform add_audit(p_by, 'member', p_member, null, null);
  return json_build_object(
    'pastLoyaltyIds', (
      select coalesce(json_agg(p.loyalty_id order by p.loyalty_id), '[]') from past_loyalty_id p
      where p.member_id = p_member and not exists (
        select from member_loyalty_id l where l.member_id = p_member and l.loyalty_id = p.loyalty_id
      )
    ),
    'mergedMemberIds', (
      select coalesce(json_agg(g.member_id order by g.member_id), '[]') from merged_member g where g.into_id = p_member
    )
  );
end
$$;
