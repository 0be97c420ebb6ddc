-- Locks an open proposal, for who decides about it. Replies
--   {"kind":"unknown_proposal"}
--   {"kind":"not_open","state"}  it was decided about before
--   null: it is open, and stays so while the caller holds the lock.
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
