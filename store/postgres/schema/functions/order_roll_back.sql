-- Publishes the benefits of an earlier version again; venues, members and currencies stay as they are.
--   p_version   the earlier version
--   p_expected  the version that the editor started from
-- Replies
--   {"kind":"done","version","published"}   published false: these benefits are the newest already
--   {"kind":"version_mismatch","current"}, {"kind":"unknown_version"}   nothing written
--   {"kind":"faulty","faults"}   venues have come since for which it has money_faults; nothing written
--   or a reply of take_order. Locks: request id, lock_changes.
create or replace function order_roll_back(p_by change_context, p_order_digest bytea, p_version integer, p_expected integer)
returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_newest programme_version;
  v_wanted programme_version;
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
  select v.* into v_wanted from programme_version v where v.version = p_version;
  if not found then
    return drop_order(p_by, '{"kind":"unknown_version"}');
  end if;
  if v_wanted.benefits = v_newest.benefits then
    return keep_order(p_by, json_build_object('kind', 'done', 'version', v_newest.version, 'published', false));
  end if;
  v_faults := money_faults(v_wanted.limits::json, '[]');
  if json_array_length(v_faults) > 0 then
    return drop_order(p_by, json_build_object('kind', 'faulty', 'faults', v_faults));
  end if;
  return keep_order(p_by, json_build_object(
    'kind', 'done', 'published', true,
    'version', add_programme(
      v_wanted.content_digest, v_wanted.document, v_wanted.benefits, '[]', '[]', '[]', v_wanted.limits::json, p_by, v_wanted.version
    )
  ));
end
$$;
