-- Records a return of a sale and moves its value.
--   p_lines        JSON array of [position in the ladder, thousandths], ascending, each once, each above 0
--   p_kept_refund  as of sale_return
--   p_reference    recorded once per calculation
-- Replies
--   {"kind":"done", ...} as of return_summary; also where the reference was recorded with the same lines
--   {"kind":"no_ladder"}, {"kind":"reference_conflict"}
--   {"kind":"too_much","place","left"}  the first line of p_lines of which less is left to return, and how much
--   {"kind":"out_of_range"}             what is given back has no room
-- Except for done nothing is written. Locks: member, ladder, accounts, visits.
create or replace function make_return(
  p_by change_context, p_calculation uuid, p_lines text, p_kept_refund bigint, p_reference text, p_occurred_at timestamptz
) returns json
language plpgsql as $$
declare
  v_member text := lock_buyer(p_calculation);
  v_ladder json;
  v_return sale_return;
  v_before bigint[];
  v_after bigint[];
  v_reply json;
  v_accounts bigint[];
  v_snapshots text[];
begin
  select l.ladder into v_ladder from sale_ladder l where l.calculation_id = p_calculation for update;
  if not found then
    return '{"kind":"no_ladder"}';
  end if;
  -- A claim that was waited for has given the sale a member. Nobody who keeps others from a member waits for a ladder.
  v_member := coalesce(v_member, lock_buyer(p_calculation));
  select r.* into v_return from sale_return r where r.calculation_id = p_calculation and r.reference = p_reference;
  if found then
    return case when v_return.lines = p_lines then return_summary(v_return) else '{"kind":"reference_conflict"}' end;
  end if;
  v_before := returned_lines(p_calculation, v_ladder);
  v_reply := too_much(v_ladder, v_before, p_lines::json);
  if v_reply is not null then
    return v_reply;
  end if;
  v_after := added_lines(v_before, p_lines::json);

  perform lock_accounts(array_agg(a.member_id), array_agg(a.currency_id))
  from buyer_accounts(p_calculation) a having count(*) > 0;
  if v_member is not null and exists (
    select from spent_due(p_calculation, v_ladder, v_before, v_after) d where d.amount > account_room(d.account_id, true)
  ) then
    return '{"kind":"out_of_range"}';
  end if;
  v_accounts := array(select a.account_id from buyer_accounts(p_calculation) a);
  v_snapshots := array(select account_snapshot(n.id) from unnest(v_accounts) with ordinality n (id, place) order by n.place);
  insert into sale_return (calculation_id, reference, lines, refund, kept_refund, occurred_at, actor)
  values (
    p_calculation, p_reference, p_lines, paid_back(v_ladder, v_after) - paid_back(v_ladder, v_before), p_kept_refund,
    p_occurred_at, p_by.actor
  )
  returning * into v_return;
  update sale_return r set taken_back = s.taken_back, given_back = s.given_back
  from settle_return(v_return, v_ladder, v_before, v_after, v_member) s
  where r.return_id = v_return.return_id
  returning r.* into v_return;
  perform announce_tier_of_sale(p_calculation);
  perform audit_return(p_by, v_return);
  perform audit_accounts(p_by, v_accounts, v_snapshots);
  return return_summary(v_return);
end
$$;
