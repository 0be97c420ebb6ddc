-- Proposes a programme for another person to publish, if the newest version is the expected one.
--   p_expected  the version that its author started from; 0: none
-- Replies
--   {"kind":"done","proposed"}              proposed false: this content is the newest already, nothing written
--   {"kind":"version_mismatch","current"}   nothing written
--   {"kind":"faulty","faults"}              it has publication_faults; nothing written
--   or a reply of take_order. Locks: request id.
create or replace function order_proposal(
  p_by change_context, p_order_digest bytea, p_expected integer, p_note text,
  p_digest bytea, p_document text, p_venues json, p_currencies json, p_limits json
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_known programme_proposal;
  v_newest programme_version;
  v_faults json;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  -- Proposals outlive orders.
  select p.* into v_known from programme_proposal p where p.proposal_id = p_by.request_id;
  if found then
    return drop_order(p_by, case
        when (v_known.base_version, v_known.content_digest, v_known.note, v_known.proposed_by)
          = (p_expected, p_digest, p_note, p_by.actor) then '{"kind":"done","proposed":true}'::json
        else '{"kind":"request_id_conflict"}'
      end);
  end if;
  select v.* into v_newest from programme_version v order by v.version desc limit 1;
  if coalesce(v_newest.version, 0) <> p_expected then
    return drop_order(p_by, json_build_object('kind', 'version_mismatch', 'current', coalesce(v_newest.version, 0)));
  end if;
  if v_newest.content_digest = p_digest and v_newest.rolled_back_to is null then
    return keep_order(p_by, '{"kind":"done","proposed":false}');
  end if;
  v_faults := publication_faults(p_currencies, p_limits, changed_venues(p_venues));
  if json_array_length(v_faults) > 0 then
    return drop_order(p_by, json_build_object('kind', 'faulty', 'faults', v_faults));
  end if;
  insert into programme_proposal (proposal_id, base_version, content_digest, document, note, proposed_by)
  values (p_by.request_id, p_expected, p_digest, p_document, p_note, p_by.actor);
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, after)
  values (
    p_by.actor, p_by.call, p_by.request_id, 'proposal', p_by.request_id::text,
    json_build_object('state', 'open', 'baseVersion', p_expected, 'digest', encode(p_digest, 'hex'), 'note', p_note)::text
  );
  return keep_order(p_by, '{"kind":"done","proposed":true}');
end
$$;
