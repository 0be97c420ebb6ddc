-- Stores a programme as the next version, with its venues and members, a change and audit records.
--   p_digest          SHA-256 of the document in canonical form
--   p_venues          as of store_venues, of which changed_venues are stored; a roll back keeps what there is
--   p_members         as of enrol_members
--   p_benefits        what prices; its tiers hold from now on
--   p_currencies      as of store_currencies and store_exchanges; a roll back keeps what there is
--   p_limits          as of programme_version.limits
--   p_rolled_back_to  the version whose benefits this one repeats; null: a new document
-- Replies the new version. Locks: the caller holds lock_changes.
create or replace function add_programme(
  p_digest bytea, p_document text, p_benefits text, p_venues json, p_members json, p_currencies json, p_limits json,
  p_by change_context, p_rolled_back_to integer
) returns integer
language plpgsql as $$
declare
  v_newest integer := (select max(v.version) from programme_version v);
  v_version integer := coalesce(v_newest, 0) + 1;
  v_changed json := changed_venues(p_venues);
  v_bax_ids text[] := array(
    select x.bax_id from json_to_recordset(v_changed) as v (venue_id text) join bax x on x.venue_id = v.venue_id
  );
begin
  insert into programme_version (version, content_digest, document, benefits, limits, published_by, rolled_back_to, venues)
  values (
    v_version, p_digest, p_document, p_benefits, p_limits::text, p_by.actor, p_rolled_back_to,
    coalesce((select v.venues from programme_version v where v.version = p_rolled_back_to), venue_digests(p_venues))
  );
  insert into change (kind, id) values ('programme', v_version::text);
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
  values (
    p_by.actor, p_by.call, p_by.request_id, 'programme', v_version::text,
    case when v_newest is not null then json_build_object('version', v_newest)::text end,
    json_build_object('version', v_version, 'digest', encode(p_digest, 'hex'), 'rolledBackTo', p_rolled_back_to)::text
  );
  perform change_venues(v_changed, p_by);
  perform change_venues(missing_bax_ids(p_venues, v_bax_ids), p_by);
  perform enrol_members(p_members, p_by);
  perform store_limits(p_limits);
  perform store_currencies(p_currencies);
  perform store_tiers(p_benefits);
  if p_rolled_back_to is null then
    perform store_exchanges(p_currencies);
  end if;
  return v_version;
end
$$;
