-- Merges a member into another, which keeps its own tier, segments and block, and a given tier if it has one in force. From then on the first is nobody; a programme changes
-- neither, and audit records of both show the call.
--   p_venue_limits  as of merge_counters
-- Replies {"kind":"done","accounts","calculations","loyaltyIds","counters","visits","given"} or {"kind":"out_of_range","currencyId"}: then the caller
-- undoes everything.
-- Locks: calculations, counters, accounts, visits; the caller holds lock_changes and both members.
create or replace function merge_members(p_by change_context, p_from text, p_into text, p_venue_limits text[]) returns json
language plpgsql as $$
declare
  v_from_before text := member_snapshot(p_from);
  v_into_before text := member_snapshot(p_into);
  v_calculations bigint;
  v_counters json;
  v_reply json;
  v_loyalty_ids integer;
  v_visits bigint;
  v_given json;
begin
  perform 1 from calculation c where c.member_id = p_from order by c.calculation_id for update;
  update calculation c set member_id = p_into where c.member_id = p_from;
  get diagnostics v_calculations = row_count;
  v_counters := merge_counters(p_from, p_into, p_venue_limits);
  v_reply := merge_accounts(p_by, p_from, p_into);
  if v_reply ->> 'kind' <> 'done' then
    return v_reply;
  end if;
  select s.visits, s.given into v_visits, v_given from merge_standing(p_from, p_into) s;
  update wrong_code w set member_id = p_into where w.member_id = p_from;
  v_loyalty_ids := merge_loyalty_ids(p_from, p_into);
  delete from published_member p where p.member_id in (p_from, p_into);
  update merged_member g set into_id = p_into where g.into_id = p_from;
  insert into merged_member (member_id, into_id) values (p_from, p_into);
  delete from member m where m.member_id = p_from;
  perform merge_reach(p_from, p_into);
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
  values
    (p_by.actor, p_by.call, p_by.request_id, 'member', p_from, v_from_before, null),
    (p_by.actor, p_by.call, p_by.request_id, 'member', p_into, v_into_before, member_snapshot(p_into));
  return json_build_object(
    'kind', 'done', 'accounts', v_reply -> 'accounts', 'calculations', v_calculations, 'loyaltyIds', v_loyalty_ids,
    'counters', v_counters, 'visits', v_visits, 'given', v_given
  );
end
$$;
