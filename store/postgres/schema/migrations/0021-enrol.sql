-- A programme enrols who is unknown. What was set in another way since stays, and who was forgotten stays forgotten.

-- Members whose tier, segments and loyalty ids are as a programme gave them; an import takes a member out of here.
create table published_member (
  member_id text collate "C" primary key
);

insert into published_member (member_id)
select distinct a.subject_id from audit_record a
where a.subject_kind = 'member' and a.call in ('start', 'ProgrammeService/PublishProgramme')
  and exists (select from member m where m.member_id = a.subject_id)
  and not exists (
    select from audit_record i
    where i.subject_kind = 'member' and i.subject_id = a.subject_id and i.call = 'MemberService/UpsertMembers'
  );

-- Stores the members that a programme names and records what that changes. A known member keeps `blocked`, and all of itself where
-- something else than a programme set it last; a loyalty id that such a member has stays there. Forgotten ids are passed over, and so
-- are the names that stand for them in documents, and a new member of whom no loyalty id is left.
--   p_members  JSON array of {member_id, body, loyalty_ids}
create function enrol_members(p_members json, p_by change_context) returns void
language plpgsql
-- A programme may name many members, and some of those it names may be forgotten.
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
        where l.id not in (select g.id from gone_loyalty_ids g) and (
          x.member_id is null or x.member_id = n.member_id
          or exists (select from published_member h where h.member_id = x.member_id)
        )
      ) as loyalty_ids
    from json_to_recordset(p_members) as n (member_id text, body text, loyalty_ids json)
    left join member m on m.member_id = n.member_id
    where (m.member_id is null or exists (select from published_member p where p.member_id = n.member_id))
      and n.member_id not in (select g.id from gone_members g)
      and n.member_id !~ '^forgotten-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
  )
  -- Within the texts of a body every quote is escaped, so that this meets the field alone.
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

  perform change_members(v_members, p_by);
  insert into published_member (member_id)
  select m.member_id from json_to_recordset(v_members) as m (member_id text)
  on conflict do nothing;
end
$$;

-- As before (0012), with the members by the rule above.
-- Stores a programme as the next version, with its venues and members, and records it. The lock of the feed is held.
create or replace function add_programme(
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
  perform enrol_members(p_members, p_by);
  return v_version;
end
$$;

-- As before (0012). What is imported is not a programme's any more, and no longer forgotten: a person asks for it.
-- Stores members.
--   p_members  JSON array of {member_id, body, body_blocked, blocked, loyalty_ids}: the body of a member that is let in, the one of
--              a blocked member, and which of them it is; null: as it was, let in where it is new
--   {"kind":"done","created","changed","unchanged"}
create or replace function order_members(p_by change_context, p_order_digest bytea, p_members json) returns json
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
  return keep_order(p_by, json_build_object(
    'kind', 'done', 'created', v_counts.created, 'changed', v_counts.changed, 'unchanged', v_counts.unchanged
  ));
end
$$;
