-- Proposes a programme for another person to publish, if the newest version is p_expected (0: none).
-- Replies
--   {"kind":"done","proposed"}  proposed false: this content is the newest already, nothing is proposed
--   {"kind":"version_mismatch","current"}, {"kind":"faulty","faults"} as of publication_faults
create or replace function change_proposal(
  p_by change_context, p_digest bytea, p_expected integer, p_note text,
  p_content_digest bytea, p_document text, p_venues json, p_currencies json, p_limits json, p_experiments json
) returns json
language plpgsql as $$
declare
  v_reply json := claim_request(p_by, p_digest);
  v_known programme_proposal;
  v_newest programme_version;
  v_faults json;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  -- Proposals outlive request ids.
  select p.* into v_known from programme_proposal p where p.proposal_id = p_by.request_id;
  if found then
    return free_request(p_by, case
        when (v_known.base_version, v_known.content_digest, v_known.note, v_known.proposed_by)
          = (p_expected, p_content_digest, p_note, p_by.actor) then '{"kind":"done","proposed":true}'::json
        else '{"kind":"request_id_conflict"}'
      end);
  end if;
  select v.* into v_newest from programme_version v order by v.version desc limit 1;
  if coalesce(v_newest.version, 0) <> p_expected then
    return free_request(p_by, json_build_object('kind', 'version_mismatch', 'current', coalesce(v_newest.version, 0)));
  end if;
  if v_newest.content_digest = p_content_digest and v_newest.rolled_back_to is null then
    return store_reply(p_by, '{"kind":"done","proposed":false}');
  end if;
  v_faults := publication_faults(p_currencies, p_limits, changed_venues(p_venues), p_experiments);
  if json_array_length(v_faults) > 0 then
    return free_request(p_by, json_build_object('kind', 'faulty', 'faults', v_faults));
  end if;
  insert into programme_proposal (proposal_id, base_version, content_digest, document, note, proposed_by)
  values (p_by.request_id, p_expected, p_content_digest, p_document, p_note, p_by.actor);
  perform add_audit(
    p_by, 'proposal', p_by.request_id::text, null,
    json_build_object('state', 'open', 'baseVersion', p_expected, 'digest', encode(p_content_digest, 'hex'), 'note', p_note)::text
  );
  return store_reply(p_by, '{"kind":"done","proposed":true}');
end
$$;

-- Publishes the open proposal of another person if the version that it was begun with is the newest. Arguments as of change_publication.
-- Replies {"kind":"done","version"}, {"kind":"own_proposal"}, {"kind":"version_mismatch","current"}, {"kind":"faulty","faults"} or as of
-- take_proposal.
create or replace function change_approval(
  p_by change_context, p_digest bytea, p_proposal uuid,
  p_document text, p_benefits text, p_venues json, p_members json, p_currencies json, p_limits json, p_experiments json,
  p_digests json
) returns json
language plpgsql as $$
declare
  v_reply json := claim_request(p_by, p_digest);
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
    return free_request(p_by, v_reply);
  end if;
  select p.* into v_proposal from programme_proposal p where p.proposal_id = p_proposal;
  -- A person is called "label (subject)", and the provider may let people change their label, which has no parenthesis; a token is
  -- called "role-digest", and may get another role.
  if substring(v_proposal.proposed_by from '[(].*$|[^-(]*$') = substring(p_by.actor from '[(].*$|[^-(]*$') then
    return free_request(p_by, '{"kind":"own_proposal"}');
  end if;
  v_newest := coalesce((select max(v.version) from programme_version v), 0);
  if v_newest <> v_proposal.base_version then
    return free_request(p_by, json_build_object('kind', 'version_mismatch', 'current', v_newest));
  end if;
  v_faults := publication_faults(p_currencies, p_limits, changed_venues(p_venues), p_experiments);
  if json_array_length(v_faults) > 0 then
    return free_request(p_by, json_build_object('kind', 'faulty', 'faults', v_faults));
  end if;
  v_version := add_programme(
    v_proposal.content_digest, p_document, p_benefits, p_venues, p_members, p_currencies, p_limits, p_experiments, p_digests, p_by, null
  );
  perform decide_proposal(p_by, p_proposal, v_version, '');
  return store_reply(p_by, json_build_object('kind', 'done', 'version', v_version));
end
$$;

-- Declines an open proposal, also one's own. Replies {"kind":"done"} or as of take_proposal.
create or replace function change_decline(p_by change_context, p_digest bytea, p_proposal uuid, p_reason text)
returns json
language plpgsql as $$
declare
  v_reply json := claim_request(p_by, p_digest);
begin
  if v_reply is not null then
    return v_reply;
  end if;
  v_reply := take_proposal(p_proposal);
  if v_reply is not null then
    return free_request(p_by, v_reply);
  end if;
  perform decide_proposal(p_by, p_proposal, null, p_reason);
  return store_reply(p_by, '{"kind":"done"}');
end
$$;

-- Notes the decision about a proposal, with an audit record.
--   p_version  the version published; null: it is declined, for p_reason
create or replace function decide_proposal(p_by change_context, p_proposal uuid, p_version integer, p_reason text)
returns void
language plpgsql as $$
declare
  v_state text := case when p_version is null then 'declined' else 'approved' end;
begin
  update programme_proposal p
  set state = v_state, decided_by = p_by.actor, decided_at = clock_timestamp(), reason = p_reason, version = p_version
  where p.proposal_id = p_proposal;
  perform add_audit(
    p_by, 'proposal', p_proposal::text, '{"state":"open"}', json_build_object('state', v_state, 'version', p_version)::text
  );
end
$$;

-- Locks an open proposal. Replies null, {"kind":"unknown_proposal"} or {"kind":"not_open","state"}.
create or replace function take_proposal(p_proposal uuid) returns json
language plpgsql as $$
declare
  v_state text;
begin
  select p.state into v_state from programme_proposal p where p.proposal_id = p_proposal for update;
  if not found then
    return '{"kind":"unknown_proposal"}';
  end if;
  return case when v_state <> 'open' then json_build_object('kind', 'not_open', 'state', v_state) end;
end
$$;
