-- Notes what became of a proposal that the caller has locked (take_proposal), with an audit record.
--   p_version  what it became; null: it is declined
--   p_reason   why it is declined; '' where it is not
create or replace function decide_proposal(p_by change_context, p_proposal uuid, p_version integer, p_reason text)
returns void
language plpgsql as $$
declare
  v_state text := case when p_version is null then 'declined' else 'approved' end;
begin
  update programme_proposal p
  set state = v_state, decided_by = p_by.actor, decided_at = clock_timestamp(), reason = p_reason, version = p_version
  where p.proposal_id = p_proposal;
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
  values (
    p_by.actor, p_by.call, p_by.request_id, 'proposal', p_proposal::text, '{"state":"open"}',
    json_build_object('state', v_state, 'version', p_version)::text
  );
end
$$;
