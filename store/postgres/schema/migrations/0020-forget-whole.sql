-- Forgetting leaves no id behind: every loyalty id a member ever had, and ids that were never enrolled. What was forgotten is
-- remembered as keyed digests only, so that a programme does not bring it back.

-- Loyalty ids that a member has had and lost.
create table past_loyalty_id (
  member_id text collate "C" not null,
  loyalty_id text collate "C" not null,
  primary key (member_id, loyalty_id),
  unique (loyalty_id, member_id)
);

-- HMAC-SHA256 (RFC 2104) of each forgotten id. Without a key a short id could be guessed from its digest.
create table forgotten (
  digest bytea primary key,
  forgotten_at timestamptz not null default clock_timestamp()
);

-- The key, xored with the two pads of HMAC, 64 bytes each. Made with the first digest.
create table forgetting_key (
  id integer primary key default 1 check (id = 1),
  inner_key bytea not null,
  outer_key bytea not null
);

-- The loyalty ids in an audit record of a member, JSON; see member_snapshot. Within an id every quote is escaped.
create function snapshot_loyalty_ids(p_snapshot text) returns json
language sql immutable as $$
  select (split_part(p_snapshot, ',"profile":', 1) || '}')::json -> 'loyaltyIds'
$$;

-- An audit record of a member with `forgotten` in the place of these loyalty ids.
create function snapshot_without(p_snapshot text, p_loyalty_ids text[]) returns text
language sql immutable as $$
  select '{"loyaltyIds":' || coalesce((
      select json_agg(case when l.id = any (p_loyalty_ids) then 'forgotten' else l.id end order by l.place)::text
      from json_array_elements_text(snapshot_loyalty_ids(p_snapshot)) with ordinality l (id, place)
    ), '[]') || substr(p_snapshot, strpos(p_snapshot, ',"profile":'))
$$;

-- What was lost before this migration: a loss is recorded with what was there before it.
insert into past_loyalty_id (member_id, loyalty_id)
select distinct a.subject_id, l.id collate "C"
from audit_record a, json_array_elements_text(snapshot_loyalty_ids(a.before)) l (id)
where a.subject_kind = 'member' and a.before is not null
  and not exists (
    select from member_loyalty_id x where x.loyalty_id = l.id collate "C" and x.member_id = a.subject_id
  );

-- Makes the key where there is none. The lock of the feed is held.
create function make_forgetting_key() returns void
language plpgsql as $$
declare
  v_random bytea := sha256(
    uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
  );
  v_inner bytea := decode(repeat('36', 64), 'hex');
  v_outer bytea := decode(repeat('5c', 64), 'hex');
begin
  if exists (select from forgetting_key) then
    return;
  end if;
  for at in 0 .. 31 loop
    v_inner := set_byte(v_inner, at, get_byte(v_inner, at) # get_byte(v_random, at));
    v_outer := set_byte(v_outer, at, get_byte(v_outer, at) # get_byte(v_random, at));
  end loop;
  insert into forgetting_key (inner_key, outer_key) values (v_inner, v_outer);
end
$$;

-- The digest under which an id is forgotten.
--   p_kind  member or loyalty: a member may be called like somebody's card
create function forgotten_digest(p_key forgetting_key, p_kind text, p_id text) returns bytea
language sql immutable as $$
  select sha256((p_key).outer_key || sha256((p_key).inner_key || convert_to(p_kind || ' ' || p_id, 'UTF8')))
$$;

-- Those of these ids that are forgotten; without a key nothing is.
--   p_ids  JSON array
create function forgotten_among(p_kind text, p_ids json) returns setof text
language sql stable as $$
  select i.id
  from forgetting_key k
  cross join json_array_elements_text(p_ids) i (id)
  join forgotten f on f.digest = forgotten_digest(k, p_kind, i.id)
  where exists (select from forgotten)
$$;

-- As before (0011), and keeps who had which loyalty id.
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

-- Every loyalty id a member has or had, but for those that somebody else has now.
create function loyalty_ids_ever(p_member text) returns text[]
language sql stable as $$
  select array(
    select h.loyalty_id from (
      select x.loyalty_id from member_loyalty_id x where x.member_id = p_member
      union
      select p.loyalty_id from past_loyalty_id p where p.member_id = p_member
      union
      select c.loyalty_id from calculation c where c.member_id = p_member and c.loyalty_id is not null
    ) h
    where not exists (
      select from member_loyalty_id x where x.loyalty_id = h.loyalty_id and x.member_id <> p_member
    )
  )
$$;

-- Takes loyalty ids out of the feed of changes. An empty id means every member: caches that have not read so far start anew.
create function erase_changes(p_loyalty_ids text[]) returns void
language sql
-- The feed is short, and has no index by id.
set enable_seqscan = on
as $$
  update change c set id = '' where c.kind = 'member' and c.id = any (p_loyalty_ids)
$$;

-- As before (0013), but of somebody else's calculation with such a loyalty id only the loyalty id goes, and a member that was enrolled
-- again keeps its counters.
-- Takes a member out of what was calculated and sold until p_until. The name that counters get says nothing.
--   p_member        null: loyalty ids alone
--   p_venue_limits  limits whose counters belong to venues: a venue may be called like the member
create or replace function erase_member(
  p_member text, p_loyalty_ids text[], p_until timestamptz, p_venue_limits text[],
  out calculations bigint, out sales bigint, out counters bigint
)
language plpgsql as $$
declare
  v_name text := 'forgotten-' || gen_random_uuid();
  v_ids uuid[];
begin
  v_ids := array(
    select c.calculation_id from calculation c where c.member_id = p_member and c.answered_at < p_until
    union
    select c.calculation_id from calculation c where c.loyalty_id = any (p_loyalty_ids) and c.answered_at < p_until
    order by 1
  );
  perform 1 from calculation c where c.calculation_id = any (v_ids) order by c.calculation_id for update;
  with erased as (
    update calculation c set member_id = nullif(c.member_id, p_member), loyalty_id = null
    where c.calculation_id = any (v_ids)
    returning c.calculation_id, c.body_day
  )
  delete from calculation_body b using erased e where b.calculation_id = e.calculation_id and b.day = e.body_day;

  perform 1 from limit_counter k
  where k.subject = p_member and k.limit_id <> all (p_venue_limits)
  order by k.limit_id, k.subject, k.period for update;
  update limit_counter k set subject = v_name
  where k.subject = p_member and k.limit_id <> all (p_venue_limits)
    and not exists (select from member m where m.member_id = p_member);
  get diagnostics counters = row_count;

  -- An event is told from others by its digest, which stays: a repeat is answered, another body is a conflict.
  update sale s set loyalty_id = null, body = '{}'::bytea
  where s.calculation_id in (
    -- Each by its own index: with "or" every sale there is would be read, by its age.
    select x.calculation_id from sale x where x.loyalty_id = any (p_loyalty_ids) and x.recorded_at < p_until
    union
    select x.calculation_id from sale x
    where x.calculation_id = any (v_ids) and x.recorded_at < p_until and x.body <> '{}'::bytea
  );
  get diagnostics sales = row_count;
  calculations := cardinality(v_ids);
end
$$;

-- Forgets a member, or loyalty ids that nobody has; the lock of the feed is held and the order taken. Replies to the order, and names
-- the calculations of the last hour, whose answers Redis may still hold.
create function forget_ids(p_by change_context, p_member text, p_loyalty_ids text[], p_venue_limits text[]) returns json
language plpgsql as $$
declare
  v_counts record;
  v_recent json := (
    select coalesce(json_agg(c.calculation_id), '[]') from calculation c
    where (c.member_id = p_member or c.loyalty_id = any (p_loyalty_ids))
      and c.answered_at > clock_timestamp() - interval '1 hour'
  );
  v_current text[] := array(
    select l.loyalty_id from member_loyalty_id l where l.member_id = p_member order by l.loyalty_id
  );
begin
  insert into erasure (member_id, loyalty_ids) values (coalesce(p_member, 'forgotten-' || gen_random_uuid()), p_loyalty_ids)
  on conflict (member_id) do update
    set loyalty_ids = erasure.loyalty_ids || excluded.loyalty_ids, asked_at = clock_timestamp();
  perform erase_changes(p_loyalty_ids);
  -- Caches need these to be plain; finish_erasure takes them out.
  insert into change (kind, id) select 'member', l.id from unnest(v_current) l (id);
  delete from member_loyalty_id l where l.member_id = p_member;
  delete from member m where m.member_id = p_member;
  select e.* into v_counts from erase_member(p_member, p_loyalty_ids, 'infinity', p_venue_limits) e;

  delete from audit_record a where a.subject_kind = 'member' and a.subject_id = p_member;
  update audit_record a
  set before = snapshot_without(a.before, p_loyalty_ids), after = snapshot_without(a.after, p_loyalty_ids)
  where a.subject_kind = 'member'
    and a.subject_id in (select p.member_id from past_loyalty_id p where p.loyalty_id = any (p_loyalty_ids));
  delete from past_loyalty_id p where p.member_id = p_member or p.loyalty_id = any (p_loyalty_ids);
  delete from published_member p where p.member_id = p_member;
  insert into audit_record (actor, call, request_id, subject_kind, subject_id)
  values (p_by.actor, p_by.call, p_by.request_id, 'member', 'forgotten');

  perform make_forgetting_key();
  insert into forgotten (digest)
  select forgotten_digest(k, 'member', p_member) from forgetting_key k where p_member is not null
  union
  select forgotten_digest(k, 'loyalty', l.id) from forgetting_key k, unnest(p_loyalty_ids) l (id)
  on conflict do nothing;

  perform keep_order(p_by, json_build_object(
    'kind', 'done', 'calculations', v_counts.calculations, 'sales', v_counts.sales, 'counters', v_counts.counters,
    'recent', '[]'::json
  ));
  return json_build_object(
    'kind', 'done', 'calculations', v_counts.calculations, 'sales', v_counts.sales, 'counters', v_counts.counters,
    'recent', v_recent
  );
end
$$;

-- As before (0013), with every loyalty id the member ever had.
--   {"kind":"done","calculations","sales","counters","recent"}, {"kind":"unknown_member"}
create or replace function order_forgetting(
  p_by change_context, p_order_digest bytea, p_member text, p_venue_limits text[]
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  if not exists (select from member m where m.member_id = p_member) then
    return drop_order(p_by, '{"kind":"unknown_member"}');
  end if;
  return forget_ids(p_by, p_member, loyalty_ids_ever(p_member), p_venue_limits);
end
$$;

-- Forgets whoever has this loyalty id; where nobody has, the loyalty id by itself.
--   {"kind":"done","calculations","sales","counters","recent"}
create function order_forgetting_loyalty_id(
  p_by change_context, p_order_digest bytea, p_loyalty_id text, p_venue_limits text[]
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_member text;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  v_member := (select l.member_id from member_loyalty_id l where l.loyalty_id = p_loyalty_id);
  return forget_ids(
    p_by, v_member, case when v_member is null then array[p_loyalty_id] else loyalty_ids_ever(v_member) end, p_venue_limits
  );
end
$$;

-- As before (0013), and takes the loyalty ids out of the feed.
-- Looks once more through what a member that was forgotten has left behind, and forgets that it was.
create or replace function finish_erasure(p_member text, p_venue_limits text[]) returns void
language plpgsql as $$
declare
  v_erasure erasure;
begin
  select e.* into v_erasure from erasure e where e.member_id = p_member for update;
  if not found then
    return;
  end if;
  perform require_durable();
  -- What came later is somebody else's: a new member may have its card.
  perform erase_member(
    v_erasure.member_id, v_erasure.loyalty_ids, v_erasure.asked_at + interval '1 minute', p_venue_limits
  );
  perform erase_changes(v_erasure.loyalty_ids);
  delete from erasure e where e.member_id = p_member;
end
$$;
