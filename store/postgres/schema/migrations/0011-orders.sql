-- Changes that internal services make: once per request id, each with its audit record.

-- What a request id was used for, and what was answered. An empty reply is never seen: it is filled in its own transaction.
create table change_order (
  request_id uuid primary key,
  call text not null,
  -- SHA-256 of what was asked for.
  digest bytea not null,
  reply text not null,
  made_at timestamptz not null default clock_timestamp()
);
create index change_order_age on change_order (made_at);

create table audit_record (
  audit_id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- Name of the token, or `start`.
  actor text not null,
  call text not null,
  request_id uuid,
  subject_kind change_kind not null,
  subject_id text collate "C" not null,
  -- JSON; null: nothing was, or is, there.
  before text,
  after text
);
create index audit_of_subject on audit_record (subject_kind, subject_id, audit_id);

-- Who asks for a change, and how.
create type change_context as (actor text, call text, request_id uuid);

-- Takes a request id. Null: go on, and fill in the reply. Else the reply to give: the one of the first time, or
-- request_id_conflict. Whoever comes second waits for the first.
create function take_order(p_by change_context, p_digest bytea) returns json
language plpgsql as $$
declare
  v_order change_order;
begin
  perform require_durable();
  loop
    insert into change_order (request_id, call, digest, reply) values (p_by.request_id, p_by.call, p_digest, '')
    on conflict do nothing;
    if found then
      return null;
    end if;
    select o.* into v_order from change_order o where o.request_id = p_by.request_id;
    exit when found;
  end loop;
  if v_order.call = p_by.call and v_order.digest = p_digest then
    return v_order.reply;
  end if;
  return '{"kind":"request_id_conflict"}';
end
$$;

-- Keeps the reply of an order that was carried out.
create function keep_order(p_by change_context, p_reply json) returns json
language plpgsql as $$
begin
  update change_order o set reply = p_reply::text where o.request_id = p_by.request_id;
  return p_reply;
end
$$;

-- Gives a request id back where nothing was done, so that it can be used again.
create function drop_order(p_by change_context, p_reply json) returns json
language plpgsql as $$
begin
  delete from change_order o where o.request_id = p_by.request_id;
  return p_reply;
end
$$;

create function prune_orders(p_age interval) returns void
language plpgsql as $$
declare
  v_before timestamptz := clock_timestamp() - p_age;
begin
  delete from change_order o where o.made_at < v_before;
end
$$;

-- A member as audit records show it; null where there is none.
create function member_snapshot(p_member text) returns text
language sql stable as $$
  select '{"loyaltyIds":' || coalesce((
      select json_agg(l.loyalty_id order by l.loyalty_id)::text from member_loyalty_id l where l.member_id = m.member_id
    ), '[]') || ',"profile":' || m.body || '}'
  from member m where m.member_id = p_member
$$;

-- A venue as audit records show it; null where there is none.
create function venue_snapshot(p_venue text) returns text
language sql stable as $$
  select '{"baxIds":' || coalesce((
      select json_agg(b.bax_id order by b.bax_id)::text from bax b where b.venue_id = v.venue_id
    ), '[]') || ',"profile":' || v.body || '}'
  from venue v where v.venue_id = p_venue
$$;

-- As in 0006, but every row is looked up by its key: nothing here may read a whole table, or an import gets slower with every batch.
-- Stores venues; a baxId moves to the venue that names it. Writes to the feed the ids of all venues that are changed by it.
create or replace function store_venues(p_venues json) returns void
language plpgsql as $$
declare
  v_changed text[];
  v_moved text[];
begin
  with stored as (
    insert into venue (venue_id, body)
    select v.venue_id, v.body from json_to_recordset(p_venues) as v (venue_id text, body text)
    on conflict (venue_id) do update set body = excluded.body where venue.body <> excluded.body
    returning venue_id
  )
  select coalesce(array_agg(venue_id), '{}') into v_changed from stored;

  with wanted as (
    select v.venue_id, b.bax_id
    from json_to_recordset(p_venues) as v (venue_id text, bax_ids json), json_array_elements_text(v.bax_ids) b (bax_id)
  ), had as (
    select x.bax_id, x.venue_id from wanted w join bax x on x.bax_id = w.bax_id
    union
    select x.bax_id, x.venue_id
    from json_to_recordset(p_venues) as v (venue_id text) join bax x on x.venue_id = v.venue_id
  ), lost as (
    delete from bax x using (select bax_id from had except select bax_id from wanted) l where x.bax_id = l.bax_id
  ), gained as (
    insert into bax (bax_id, venue_id) select bax_id, venue_id from wanted
    on conflict (bax_id) do update set venue_id = excluded.venue_id where bax.venue_id <> excluded.venue_id
  ), moved as (
    (select bax_id, venue_id from wanted except select bax_id, venue_id from had)
    union (select bax_id, venue_id from had except select bax_id, venue_id from wanted)
  )
  select coalesce(array_agg(venue_id), '{}') into v_moved from moved;

  insert into change (kind, id)
  select 'venue', u.id from (select distinct unnest(v_changed || v_moved) as id) u order by u.id;
end
$$;

-- As in 0006, and likewise.
-- Stores members; a loyaltyId moves to the member that names it. Writes to the feed every loyaltyId, old and new, whose
-- answer is changed by it.
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
  ), moved as (
    (select loyalty_id, member_id from wanted except select loyalty_id, member_id from had)
    union (select loyalty_id, member_id from had except select loyalty_id, member_id from wanted)
  )
  select coalesce(array_agg(loyalty_id), '{}'), v_changed || coalesce(array_agg(member_id), '{}') into v_moved, v_changed
  from moved;

  -- The list of a member is part of the answer to each of its loyaltyIds.
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

-- Stores members as store_members does and records what it changed, also of members that lose a loyaltyId by it.
create function change_members(
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

-- Stores venues as store_venues does and records what it changed, also of venues that lose a baxId by it.
create function change_venues(p_venues json, p_by change_context, out created integer, out changed integer)
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
