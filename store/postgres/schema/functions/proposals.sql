-- Proposes a programme for another person to publish, or for a moment, if the newest version is p_expected (0: none).
--   p_schedule  {at, timeZone, acknowledgements}; null: another person decides
-- Replies
--   {"kind":"done","proposed"}  proposed false: this content is the newest already, nothing is proposed
--   {"kind":"version_mismatch","current"}, {"kind":"faulty","faults"} as of publication_faults
create or replace function change_proposal(
  p_by change_context, p_expected integer, p_note text,
  p_content_digest bytea, p_document text, p_venues json, p_currencies json, p_limits json, p_experiments json, p_schedule json
) returns json
language plpgsql as $$
declare
  v_known programme_proposal;
  v_newest programme_version;
  v_faults json;
begin
  -- Proposals outlive request ids.
  select p.* into v_known from programme_proposal p where p.proposal_id = p_by.request_id;
  perform refuse(case
      when (v_known.base_version, v_known.content_digest, v_known.note, v_known.proposed_by)
        = (p_expected, p_content_digest, p_note, p_by.actor) then '{"kind":"done","proposed":true}'::json
      else '{"kind":"request_id_conflict"}'
    end) where found;
  v_newest := expect_newest(p_expected);
  if v_newest.content_digest = p_content_digest and v_newest.rolled_back_to is null then
    return '{"kind":"done","proposed":false}';
  end if;
  v_faults := publication_faults(p_currencies, p_limits, changed_venues(p_venues), p_experiments);
  perform refuse(json_build_object('kind', 'faulty', 'faults', v_faults)) where json_array_length(v_faults) > 0;
  insert into programme_proposal (proposal_id, base_version, content_digest, document, note, proposed_by)
  values (p_by.request_id, p_expected, p_content_digest, p_document, p_note, p_by.actor);
  perform add_audit(
    p_by, 'proposal', p_by.request_id::text, null,
    json_build_object('state', 'open', 'baseVersion', p_expected, 'digest', encode(p_content_digest, 'hex'), 'note', p_note)::text
  );
  if p_schedule is not null then
    perform schedule_proposal(p_by, p_by.request_id, p_schedule);
  else
    perform add_event('proposal.waiting', null, json_build_object(
      'proposalId', p_by.request_id, 'proposedBy', p_by.actor, 'baseVersion', p_expected, 'note', p_note
    ));
  end if;
  return '{"kind":"done","proposed":true}';
end
$$;

-- Has a proposal published at a moment. Replies {"kind":"done"} or as of take_proposal_of_other.
--   p_schedule  as of change_proposal
create or replace function change_schedule(p_by change_context, p_proposal uuid, p_schedule json) returns json
language plpgsql as $$
begin
  perform take_proposal_of_other(p_by, p_proposal);
  perform schedule_proposal(p_by, p_proposal, p_schedule);
  return '{"kind":"done"}';
end
$$;

create or replace function schedule_proposal(p_by change_context, p_proposal uuid, p_schedule json) returns void
language plpgsql as $$
begin
  update programme_proposal p
  set state = 'scheduled', decided_by = p_by.actor, decided_at = clock_timestamp(),
    publish_at = (p_schedule ->> 'at')::timestamptz, time_zone = p_schedule ->> 'timeZone',
    acknowledgements = array(select json_array_elements_text(p_schedule -> 'acknowledgements'))
  where p.proposal_id = p_proposal;
  perform add_audit(
    p_by, 'proposal', p_proposal::text, '{"state":"open"}',
    json_build_object('state', 'scheduled', 'publishAt', p_schedule ->> 'at', 'timeZone', p_schedule ->> 'timeZone')::text
  );
end
$$;

-- A person is called "label (subject)", and the provider may let people change their label, which has no parenthesis; a token is called
-- "role-digest", and may get another role.
create or replace function is_same_actor(p_one text, p_other text) returns boolean
language sql immutable as $$
  select substring(p_one from '[(].*$|[^-(]*$') = substring(p_other from '[(].*$|[^-(]*$')
$$;

create or replace function take_due_proposal(p_lease interval) returns setof programme_proposal
language sql as $$
  update programme_proposal p set leased_until = clock_timestamp() + p_lease
  where p.proposal_id = (
    select d.proposal_id from programme_proposal d
    where d.state = 'scheduled' and d.publish_at <= clock_timestamp() and d.leased_until <= clock_timestamp()
    order by d.publish_at limit 1 for update skip locked
  )
  returning p.*
$$;

create or replace function publish_scheduled(
  p_proposal uuid, p_expected integer, p_content_digest bytea, p_document text, p_benefits text, p_venues json, p_members json,
  p_currencies json, p_limits json, p_experiments json, p_digests json
) returns json
language plpgsql as $$
declare
  v_reply json;
  v_by change_context;
  v_newest programme_version;
  v_faults json;
  v_version integer;
begin
  perform lock_changes();
  v_reply := take_proposal(p_proposal, '{scheduled}');
  if v_reply is not null then
    return v_reply;
  end if;
  v_by := scheduler(p_proposal);
  select v.* into v_newest from programme_version v order by v.version desc limit 1;
  if coalesce(v_newest.version, 0) <> p_expected then
    return json_build_object('kind', 'version_mismatch', 'current', coalesce(v_newest.version, 0));
  end if;
  v_version := v_newest.version;
  if v_newest.content_digest is distinct from p_content_digest or v_newest.rolled_back_to is not null then
    v_faults := publication_faults(p_currencies, p_limits, changed_venues(p_venues), p_experiments);
    if json_array_length(v_faults) > 0 then
      return json_build_object('kind', 'faulty', 'faults', v_faults);
    end if;
    v_version := add_programme(
      p_content_digest, p_document, p_benefits, p_venues, p_members, p_currencies, p_limits, p_experiments, p_digests, v_by, null
    );
  end if;
  perform decide_proposal(v_by, p_proposal, v_version, '');
  return json_build_object('kind', 'done', 'version', v_version);
end
$$;

create or replace function fail_scheduled(p_proposal uuid, p_failure text, p_reason text) returns void
language plpgsql as $$
begin
  if take_proposal(p_proposal, '{scheduled}') is not null then
    return;
  end if;
  update programme_proposal p set state = 'failed', failure = p_failure, reason = p_reason, decided_at = clock_timestamp()
  where p.proposal_id = p_proposal;
  perform add_audit(
    scheduler(p_proposal), 'proposal', p_proposal::text, '{"state":"scheduled"}',
    json_build_object('state', 'failed', 'failure', p_failure, 'reason', p_reason)::text
  );
  perform add_event('publication.failed', null, json_build_object(
    'proposalId', p_proposal, 'publishAt', iso_time(p.publish_at), 'scheduledBy', p.decided_by, 'failure', p_failure, 'reason', p_reason
  )) from programme_proposal p where p.proposal_id = p_proposal;
end
$$;

create or replace function scheduler(p_proposal uuid) returns change_context
language sql stable as $$
  select row(p.decided_by, 'ProgrammeService/SchedulePublication', p_proposal)::change_context
  from programme_proposal p where p.proposal_id = p_proposal
$$;

-- Publishes a proposal. Arguments as of change_publication. Replies {"kind":"done","version"}, {"kind":"faulty","faults"} or as of
-- take_proposal_of_other.
create or replace function change_approval(
  p_by change_context, p_proposal uuid,
  p_document text, p_benefits text, p_venues json, p_members json, p_currencies json, p_limits json, p_experiments json,
  p_digests json
) returns json
language plpgsql as $$
declare
  v_proposal programme_proposal;
  v_faults json;
  v_version integer;
begin
  perform lock_changes();
  v_proposal := take_proposal_of_other(p_by, p_proposal);
  v_faults := publication_faults(p_currencies, p_limits, changed_venues(p_venues), p_experiments);
  perform refuse(json_build_object('kind', 'faulty', 'faults', v_faults)) where json_array_length(v_faults) > 0;
  v_version := add_programme(
    v_proposal.content_digest, p_document, p_benefits, p_venues, p_members, p_currencies, p_limits, p_experiments, p_digests, p_by, null
  );
  perform decide_proposal(p_by, p_proposal, v_version, '');
  return json_build_object('kind', 'done', 'version', v_version);
end
$$;

create or replace function change_decline(p_by change_context, p_proposal uuid, p_reason text)
returns json
language plpgsql as $$
begin
  perform refuse(take_proposal(p_proposal, '{open,scheduled,failed}'));
  perform decide_proposal(p_by, p_proposal, null, p_reason);
  return '{"kind":"done"}';
end
$$;

create or replace function decide_proposal(p_by change_context, p_proposal uuid, p_version integer, p_reason text)
returns void
language plpgsql as $$
declare
  v_state text := case when p_version is null then 'declined' else 'approved' end;
  v_before text := (select p.state from programme_proposal p where p.proposal_id = p_proposal);
begin
  update programme_proposal p
  set state = v_state, decided_by = p_by.actor, decided_at = clock_timestamp(), reason = p_reason, version = p_version
  where p.proposal_id = p_proposal;
  perform add_audit(
    p_by, 'proposal', p_proposal::text, format('{"state":"%s"}', v_before),
    json_build_object('state', v_state, 'version', p_version)::text
  );
end
$$;

create or replace function take_proposal(p_proposal uuid, p_states text[]) returns json
language plpgsql as $$
declare
  v_state text;
begin
  select p.state into v_state from programme_proposal p where p.proposal_id = p_proposal for update;
  if not found then
    return '{"kind":"unknown_proposal"}';
  end if;
  return case when v_state <> all (p_states) then json_build_object('kind', 'proposal_not_open', 'state', v_state) end;
end
$$;

-- Locks the open proposal of another person whose base version is the newest; refuses {"kind":"own_proposal"}, or as of take_proposal and
-- expect_newest.
create or replace function take_proposal_of_other(p_by change_context, p_proposal uuid) returns programme_proposal
language plpgsql as $$
declare
  v_proposal programme_proposal;
begin
  perform refuse(take_proposal(p_proposal, '{open}'));
  select p.* into v_proposal from programme_proposal p where p.proposal_id = p_proposal;
  perform refuse('{"kind":"own_proposal"}') where is_same_actor(v_proposal.proposed_by, p_by.actor);
  perform expect_newest(v_proposal.base_version);
  return v_proposal;
end
$$;
