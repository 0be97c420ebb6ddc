-- Programme versions, venues, members, and the feed of what has changed.

-- Whoever writes to the feed holds this to the end of its transaction, so that no revision appears below one already read.
create function lock_changes() returns void
language sql as $$
  select pg_advisory_xact_lock(hashtextextended('loyalty change feed', 0))
$$;

-- Publishes a programme as the next version, with its venues and members, where its content differs from the newest.
--   p_digest   SHA-256 of the document in canonical form
--   p_venues   JSON array of {venue_id, body, bax_ids}
--   p_members  JSON array of {member_id, body, loyalty_ids}
create function publish_programme(
  p_digest bytea, p_document text, p_benefits text, p_venues json, p_members json, out version integer, out published boolean
)
language plpgsql
-- Unlike everything else here it works on many rows at once.
set enable_seqscan = on set enable_hashjoin = on set enable_mergejoin = on set plan_cache_mode = auto
as $$
begin
  perform lock_changes();
  select v.version, v.content_digest <> p_digest into version, published
  from programme_version v order by v.version desc limit 1;
  published := coalesce(published, true);
  if not published then
    return;
  end if;
  version := coalesce(version, 0) + 1;
  insert into programme_version (version, content_digest, document, benefits)
  values (publish_programme.version, p_digest, p_document, p_benefits);
  insert into change (kind, id) values ('programme', publish_programme.version::text);
  perform store_venues(p_venues);
  perform store_members(p_members);
end
$$;

-- Stores venues; a baxId moves to the venue that names it. Writes to the feed the ids of all venues that are changed by it.
create function store_venues(p_venues json) returns void
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
    select x.bax_id, x.venue_id from bax x
    where x.bax_id in (select bax_id from wanted)
      or x.venue_id in (select venue_id from json_to_recordset(p_venues) as v (venue_id text))
  ), lost as (
    delete from bax x using had where x.bax_id = had.bax_id and not exists (select from wanted w where w.bax_id = x.bax_id)
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

-- Stores members; a loyaltyId moves to the member that names it. Writes to the feed every loyaltyId, old and new, whose
-- answer is changed by it.
create function store_members(p_members json) returns void
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
    select x.loyalty_id, x.member_id from member_loyalty_id x
    where x.loyalty_id in (select loyalty_id from wanted)
      or x.member_id in (select member_id from json_to_recordset(p_members) as m (member_id text))
  ), lost as (
    delete from member_loyalty_id x using had
    where x.loyalty_id = had.loyalty_id and not exists (select from wanted w where w.loyalty_id = x.loyalty_id)
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

-- Forgets what is older than p_age, but for the newest change.
create function prune_changes(p_age interval) returns void
language plpgsql as $$
declare
  v_before timestamptz := clock_timestamp() - p_age;
begin
  delete from change c
  where c.changed_at < v_before and c.revision < (select max(n.revision) from change n);
end
$$;
