-- Publishes a programme if the newest version is the expected one.
--   p_expected  the version that the editor started from; 0: none
-- Replies
--   {"kind":"done","version","published"}   published false: this content is the newest already
--   {"kind":"version_mismatch","current"}   nothing written
--   {"kind":"faulty","faults"}              it has publication_faults; nothing written
--   or a reply of take_order. Locks: request id, lock_changes.
create or replace function order_publication(
  p_by change_context, p_order_digest bytea, p_expected integer,
  p_digest bytea, p_document text, p_benefits text, p_venues json, p_members json, p_currencies json,
  p_limits json
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_newest programme_version;
  v_faults json;
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
  v_faults := publication_faults(p_currencies, p_limits, changed_venues(p_venues));
  if json_array_length(v_faults) > 0 then
    return drop_order(p_by, json_build_object('kind', 'faulty', 'faults', v_faults));
  end if;
  return keep_order(p_by, json_build_object(
    'kind', 'done', 'published', true,
    'version', add_programme(p_digest, p_document, p_benefits, p_venues, p_members, p_currencies, p_limits, p_by, null)
  ));
end
$$;
