-- Moves a sale to another member (4-member-value 5, MoveSale): its own member's earning is taken back, and its spending comes back, as if
-- everything were returned; the other earns by the kept units. Visits move, the ladder stays. Once to each member.
--   p_member, p_loyalty_id  the other; one of them is null
--   p_moved  JSON of {seen, plan, earning, ladder, returns}: a ReturnPlan of engine/value for the return_basis with the digest `seen`, and as of
--            change_sale_claim, its ladder included; null: its basket is gone
--   p_plan   as of earn, which may raise LY007; by claim_basis without a calculation
-- Replies
--   {"kind":"done","takenBack","givenBack","given"}  as of move_return and claim_sale
--   {"kind":"changed"}                               the basis, or the member, is another one now: plan it again
--   {"kind":"unknown_sale"}                          none, nothing was charged, or it cannot be returned
--   {"kind":"out_of_range"}                          an account has no room for the value given back
--   {"kind":"unknown_member" | "blocked_member" | "no_member" | "already_moved" | "body_gone"}
create or replace function change_sale_move(
  p_by change_context, p_digest bytea, p_member text, p_loyalty_id text, p_calculation uuid, p_moved text, p_plan json
) returns json
language plpgsql as $$
declare
  v_reply json := claim_request(p_by, p_digest);
  v_from text := (select c.member_id from calculation c where c.calculation_id = p_calculation);
  v_to text := coalesce(p_member, (select l.member_id from member_loyalty_id l where l.loyalty_id = p_loyalty_id));
  v_kind text;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform 1 from member m where m.member_id in (v_from, v_to) order by m.member_id for key share;
  perform 1 from calculation c where c.calculation_id = p_calculation for update;
  perform 1 from sale_ladder l where l.calculation_id = p_calculation for update;
  v_kind := case
    when not exists (select from member m where m.member_id = v_to) then 'unknown_member'
    -- Quotes inside the strings of a body are escaped, so this matches only the field.
    when (select strpos(m.body, '"blocked":true') > 0 from member m where m.member_id = v_to) then 'blocked_member'
    when return_state(p_calculation) ->> 'kind' in ('unknown_calculation', 'not_sold') then 'unknown_sale'
    when v_from is null then 'no_member'
    when v_from = v_to or exists (
      select from audit_record a
      where a.subject_kind = 'member' and a.subject_id = v_to and a.call = p_by.call and a.after::json ->> 'saleMovedHere' = p_calculation::text
    ) then 'already_moved'
    when p_moved is null then 'body_gone'
    when v_from <> (select c.member_id from calculation c where c.calculation_id = p_calculation) then 'changed'
  end;
  v_reply := case when v_kind is null then move_sale(p_by, p_calculation, array[v_from, v_to], p_moved::json, p_plan)
    else json_build_object('kind', v_kind) end;
  return case when v_reply ->> 'kind' = 'done' then store_reply(p_by, v_reply) else free_request(p_by, v_reply) end;
end
$$;

-- The reply of a move that is made and rolled back, so that a quote never differs from the move.
create or replace function quote_sale_move(
  p_by change_context, p_digest bytea, p_member text, p_loyalty_id text, p_calculation uuid, p_moved text, p_plan json
) returns json
language plpgsql as $$
declare
  v_reply json;
begin
  begin
    v_reply := change_sale_move(p_by, p_digest, p_member, p_loyalty_id, p_calculation, p_moved, p_plan);
    raise exception 'quoted' using errcode = 'LY004';
  exception when sqlstate 'LY004' then
    null;
  end;
  return v_reply;
end
$$;

-- Moves a sale from one member to another: arguments and replies as of change_sale_move. The caller holds the members, the calculation and
-- the ladder.
create or replace function move_sale(
  p_by change_context, p_calculation uuid, p_members text[], p_moved json, p_plan json
) returns json
language plpgsql as $$
declare
  -- The earnings and spending of the one stay in its accounts under this id.
  v_past uuid := gen_random_uuid();
  v_accounts bigint[];
  v_snapshots text[];
  v_sale sale;
  v_back json := p_moved -> 'plan';
  v_value record;
  v_given json;
begin
  perform lock_accounts(array_agg(n.member_id), array_agg(n.currency_id))
  from (
    select a.member_id, a.currency_id from buyer_accounts(p_calculation) a
    union
    select p_members[2], c.id from unnest(planned_currencies(p_plan)) c (id)
  ) n having count(*) > 0;
  if md5(return_basis(p_calculation)::text) <> p_moved ->> 'seen' then
    return '{"kind":"changed"}';
  elsif not has_room(p_calculation, v_back) then
    return '{"kind":"out_of_range"}';
  end if;
  v_accounts := array(select a.account_id from buyer_accounts(p_calculation) a);
  v_snapshots := array(select account_snapshot(n.id) from unnest(v_accounts) with ordinality n (id, place) order by n.place);
  perform uncount_rules(p_calculation, v_back -> 'rules');
  select m.* into v_value
  from move_return(p_calculation, 'moved:' || p_by.request_id, p_by.actor, p_members[1], v_back) m;
  perform announce_tier_of_sale(p_calculation);
  update earned e set calculation_id = v_past where e.calculation_id = p_calculation;
  update value_hold_part p set calculation_id = v_past where p.calculation_id = p_calculation;
  update value_hold h set calculation_id = v_past where h.calculation_id = p_calculation;
  update value_hold h set used_by = v_past where h.used_by = p_calculation;
  update calculation c set member_id = p_members[2] where c.calculation_id = p_calculation;
  update ladder_basket b set member_id = p_members[2] where b.calculation_id = p_calculation;
  select s.* into v_sale from sale s where s.calculation_id = p_calculation;
  v_given := claim_sale(p_by, v_sale, p_members[2], p_moved, p_plan, 'request:' || p_by.request_id);
  perform move_visit(v_sale, p_members);
  perform audit_accounts(p_by, v_accounts, v_snapshots);
  perform add_audit(p_by, 'member', p_members[1], null, json_build_object('saleMovedAway', p_calculation)::text);
  perform add_audit(p_by, 'member', p_members[2], null, json_build_object('saleMovedHere', p_calculation)::text);
  return json_build_object('kind', 'done', 'takenBack', v_value.taken_back, 'givenBack', v_value.given_back, 'given', v_given);
end
$$;

-- Counts the visit of a sale, if it was one, for the other of two members. The one's last visit is its newest sale that is left.
create or replace function move_visit(p_sale sale, p_members text[]) returns void
language plpgsql as $$
begin
  if p_sale.status not in ('applied', 'unchanged', 'failed') then
    return;
  end if;
  perform lock_visits(p_members);
  update member_visits v set visits = greatest(v.visits - 1, 0), last_at = case
    when v.last_at > sale_moment(p_sale) then v.last_at
    else (
      select max(sale_moment(s)) from calculation c join sale s on s.calculation_id = c.calculation_id
      where c.member_id = p_members[1] and s.status in ('applied', 'unchanged', 'failed')
        and 'transaction_repeated' <> all (s.discrepancies)
    )
  end
  where v.member_id = p_members[1];
  perform count_visit(p_members[2], sale_moment(p_sale));
end
$$;
