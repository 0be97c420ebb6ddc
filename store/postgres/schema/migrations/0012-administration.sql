-- Programmes, venues and members, changed by internal services. Each function is one order: see take_order.

alter table programme_version
  -- Name of the token, or `start`.
  add column published_by text not null default 'start',
  -- The version whose benefits this one repeats.
  add column rolled_back_to integer;

-- Stores a programme as the next version, with its venues and members, and records it. The lock of the feed is held.
create function add_programme(
  p_digest bytea, p_document text, p_benefits text, p_venues json, p_members json, p_by change_context, p_rolled_back_to integer
) returns integer
language plpgsql as $$
declare
  v_newest integer := (select max(v.version) from programme_version v);
  v_version integer := coalesce(v_newest, 0) + 1;
begin
  insert into programme_version (version, content_digest, document, benefits, published_by, rolled_back_to)
  values (v_version, p_digest, p_document, p_benefits, p_by.actor, p_rolled_back_to);
  insert into change (kind, id) values ('programme', v_version::text);
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
  values (
    p_by.actor, p_by.call, p_by.request_id, 'programme', v_version::text,
    case when v_newest is not null then json_build_object('version', v_newest)::text end,
    json_build_object('version', v_version, 'digest', encode(p_digest, 'hex'), 'rolledBackTo', p_rolled_back_to)::text
  );
  perform change_venues(p_venues, p_by);
  perform change_members(p_members, p_by);
  return v_version;
end
$$;

-- As in 0006, with an audit record: what LOYALTY_PROGRAM publishes at start.
create or replace function publish_programme(
  p_digest bytea, p_document text, p_benefits text, p_venues json, p_members json, out version integer, out published boolean
)
language plpgsql as $$
begin
  perform lock_changes();
  select v.version, v.content_digest <> p_digest into version, published
  from programme_version v order by v.version desc limit 1;
  published := coalesce(published, true);
  if published then
    version := add_programme(
      p_digest, p_document, p_benefits, p_venues, p_members, row('start', 'start', null)::change_context, null
    );
  end if;
end
$$;

-- Publishes a programme where the newest version is the one its editor knows.
--   {"kind":"done","version","published"}   published false: it is the newest already
--   {"kind":"version_mismatch","current"}   nothing written
create function order_publication(
  p_by change_context, p_order_digest bytea, p_expected integer,
  p_digest bytea, p_document text, p_benefits text, p_venues json, p_members json
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_newest programme_version;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  select v.* into v_newest from programme_version v order by v.version desc limit 1;
  if coalesce(v_newest.version, 0) <> p_expected then
    return drop_order(p_by, json_build_object('kind', 'version_mismatch', 'current', coalesce(v_newest.version, 0)));
  end if;
  if v_newest.content_digest = p_digest and v_newest.rolled_back_to is null then
    return keep_order(p_by, json_build_object('kind', 'done', 'version', v_newest.version, 'published', false));
  end if;
  return keep_order(p_by, json_build_object(
    'kind', 'done', 'published', true,
    'version', add_programme(p_digest, p_document, p_benefits, p_venues, p_members, p_by, null)
  ));
end
$$;

-- Publishes the benefits of an earlier version again; venues and members stay as they are.
--   {"kind":"done","version","published"}   published false: these benefits are the newest already
--   {"kind":"version_mismatch","current"}, {"kind":"unknown_version"}   nothing written
create function order_roll_back(p_by change_context, p_order_digest bytea, p_version integer, p_expected integer)
returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_newest programme_version;
  v_wanted programme_version;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  select v.* into v_newest from programme_version v order by v.version desc limit 1;
  if coalesce(v_newest.version, 0) <> p_expected then
    return drop_order(p_by, json_build_object('kind', 'version_mismatch', 'current', coalesce(v_newest.version, 0)));
  end if;
  select v.* into v_wanted from programme_version v where v.version = p_version;
  if not found then
    return drop_order(p_by, '{"kind":"unknown_version"}');
  end if;
  if v_wanted.benefits = v_newest.benefits then
    return keep_order(p_by, json_build_object('kind', 'done', 'version', v_newest.version, 'published', false));
  end if;
  return keep_order(p_by, json_build_object(
    'kind', 'done', 'published', true,
    'version', add_programme(
      v_wanted.content_digest, v_wanted.document, v_wanted.benefits, '[]', '[]', p_by, v_wanted.version
    )
  ));
end
$$;

-- Stores members.
--   p_members  JSON array of {member_id, body, body_blocked, blocked, loyalty_ids}: the body of a member that is let in, the one of
--              a blocked member, and which of them it is; null: as it was, let in where it is new
--   {"kind":"done","created","changed","unchanged"}
create function order_members(p_by change_context, p_order_digest bytea, p_members json) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_members json;
  v_counts record;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  select coalesce(json_agg(json_build_object(
      'member_id', n.member_id,
      'body', case when coalesce(n.blocked, (m.body::json ->> 'blocked')::boolean, false) then n.body_blocked else n.body end,
      'loyalty_ids', n.loyalty_ids
    )), '[]')
  into v_members
  from json_to_recordset(p_members)
    as n (member_id text, body text, body_blocked text, blocked boolean, loyalty_ids json)
  left join member m on m.member_id = n.member_id;
  select c.* into v_counts from change_members(v_members, p_by) c;
  return keep_order(p_by, json_build_object(
    'kind', 'done', 'created', v_counts.created, 'changed', v_counts.changed, 'unchanged', v_counts.unchanged
  ));
end
$$;

-- Blocks a member, or lets it in again.
--   {"kind":"done"}, {"kind":"unknown_member"}
create function order_block(p_by change_context, p_order_digest bytea, p_member text, p_blocked boolean) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_before text;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  v_before := member_snapshot(p_member);
  if v_before is null then
    return drop_order(p_by, '{"kind":"unknown_member"}');
  end if;
  -- Within the texts of a body every quote is escaped, so that this meets the field alone.
  update member m
  set body = replace(m.body, '"blocked":' || (not p_blocked)::text, '"blocked":' || p_blocked::text)
  where m.member_id = p_member;
  if member_snapshot(p_member) <> v_before then
    insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
    values (p_by.actor, p_by.call, p_by.request_id, 'member', p_member, v_before, member_snapshot(p_member));
    insert into change (kind, id)
    select 'member', l.loyalty_id from member_loyalty_id l where l.member_id = p_member order by l.loyalty_id;
  end if;
  return keep_order(p_by, '{"kind":"done"}');
end
$$;

-- Stores a venue.
--   p_venues  JSON array of one {venue_id, body, bax_ids}
--   {"kind":"done","created","changed"}
create function order_venue(p_by change_context, p_order_digest bytea, p_venues json) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_counts record;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  select c.* into v_counts from change_venues(p_venues, p_by) c;
  return keep_order(p_by, json_build_object(
    'kind', 'done', 'created', v_counts.created > 0, 'changed', v_counts.changed > 0
  ));
end
$$;
