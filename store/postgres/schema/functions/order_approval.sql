-- Publishes the open proposal of somebody else if the version that it was begun with is the newest.
--   p_document and the others  the proposal, made ready as for order_publication
-- Replies
--   {"kind":"done","version"}
--   {"kind":"own_proposal"}                 who asks proposed it, maybe under another label; nothing written
--   {"kind":"version_mismatch","current"}   nothing written
--   {"kind":"faulty","faults"}              it has publication_faults by now; nothing written
--   or a reply of take_order or take_proposal. Locks: request id, lock_changes, proposal.
create or replace function order_approval(
  p_by change_context, p_order_digest bytea, p_proposal uuid,
  p_document text, p_benefits text, p_venues json, p_members json, p_currencies json, p_limits json
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_newest integer;
  v_proposal programme_proposal;
  v_faults json;
  v_version integer;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  v_reply := take_proposal(p_proposal);
  if v_reply is not null then
    return drop_order(p_by, v_reply);
  end if;
  select p.* into v_proposal from programme_proposal p where p.proposal_id = p_proposal;
  if same_person(v_proposal.proposed_by, p_by.actor) then
    return drop_order(p_by, '{"kind":"own_proposal"}');
  end if;
  v_newest := coalesce((select max(v.version) from programme_version v), 0);
  if v_newest <> v_proposal.base_version then
    return drop_order(p_by, json_build_object('kind', 'version_mismatch', 'current', v_newest));
  end if;
  v_faults := publication_faults(p_currencies, p_limits, changed_venues(p_venues));
  if json_array_length(v_faults) > 0 then
    return drop_order(p_by, json_build_object('kind', 'faulty', 'faults', v_faults));
  end if;
  v_version := add_programme(
    v_proposal.content_digest, p_document, p_benefits, p_venues, p_members, p_currencies, p_limits, p_by, null
  );
  perform decide_proposal(p_by, p_proposal, v_version, '');
  return keep_order(p_by, json_build_object('kind', 'done', 'version', v_version));
end
$$;
