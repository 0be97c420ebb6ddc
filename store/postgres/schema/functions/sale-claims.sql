-- Gives a member a sale (4-member-value 5 and 6), once to each: one that no member has, charged as sent because the member was not found, or
-- the rest of one that failed for an unknown calculation which came later (earning_unknown); or one of another member, which is moved.
--   p_member, p_loyalty_id  one of them; the other is null
--   p_counted  JSON of a ClaimCount; null: its basket is gone
--   p_plan     as of earn, which may raise LY007; by claim_basis, for a move without a calculation
-- Replies
--   {"kind":"done","given":[{currencyId, amount}]}  of a move with takenBack and givenBack as of move_return
--   {"kind":"changed"}                              its returns, its member or that one's value changed: count again
--   {"kind":"unknown_sale"}                         none, nothing was charged, it repeats a transaction, or a move of one that cannot be returned
--   {"kind":"unknown_calculation"}                  it never came
--   {"kind":"out_of_range"}                         what is given back has no room
--   {"kind":"unknown_member" | "blocked_member" | "already_claimed" | "already_moved" | "has_member" | "no_member" | "body_gone"}
create or replace function change_sale_claim(
  p_by change_context, p_member text, p_loyalty_id text, p_calculation uuid, p_counted text, p_plan json,
  p_is_move boolean, p_dry_run boolean
) returns json
language plpgsql as $$
declare
  v_reply json;
  v_from text := (select c.member_id from calculation c where p_is_move and c.calculation_id = p_calculation);
  v_to text := named_member(p_member, p_loyalty_id);
  v_calculation calculation;
  v_sale sale;
  v_kind text;
begin
  perform 1 from member m where m.member_id in (v_from, v_to) order by m.member_id for key share;
  select c.* into v_calculation from calculation c where c.calculation_id = p_calculation for update;
  perform 1 from sale_ladder l where l.calculation_id = p_calculation for update;
  select s.* into v_sale from sale s where s.calculation_id = p_calculation;
  v_kind := case
    when not exists (select from member m where m.member_id = v_to) then 'unknown_member'
    when (select m.blocked from member m where m.member_id = v_to) then 'blocked_member'
    when p_is_move then case
      when return_state(p_calculation) ->> 'kind' in ('unknown_calculation', 'not_sold') then 'unknown_sale'
      when v_from is null then 'no_member'
      when v_from = v_to or exists (
        select from audit_record a
        where a.subject_kind = 'member' and a.subject_id = v_to and a.call = p_by.call
          and a.after::json ->> 'saleMovedHere' = p_calculation::text
      ) then 'already_moved'
      when v_from is distinct from v_calculation.member_id then 'changed'
    end
    when v_sale.status is null or v_sale.status = 'cancelled' or 'transaction_repeated' = any (v_sale.discrepancies) then 'unknown_sale'
    when v_sale.claimed_at is not null then 'already_claimed'
    when has_other_member(v_sale, v_calculation.member_id, v_to) then 'has_member'
    when v_calculation.calculation_id is null then 'unknown_calculation'
  end;
  v_kind := coalesce(v_kind, case when p_counted is null then 'body_gone' end);
  perform refuse(json_build_object('kind', v_kind)) where v_kind is not null;
  v_reply := case
    when p_is_move then move_sale(p_by, v_sale, array[v_from, v_to], p_counted::json, p_plan)
    else json_build_object(
      'kind', 'done', 'given', claim_sale(p_by, v_sale, v_to, p_counted::json, p_plan, 'claim:' || p_calculation)
    )
  end;
  perform refuse(v_reply) where p_dry_run;
  return v_reply;
end
$$;

-- The EarningBasis of a claim; null: nothing is counted.
--   p_calculation  null: every rule counts, also those that have counted the sale for another member
create or replace function claim_basis(p_calculation uuid, p_member text, p_counted json) returns json
language sql stable as $$
  select case when p_member is not null and p_counted ->> 'earning' is not null
    then earning_basis(p_calculation, p_member, (p_counted ->> 'earning')::json, false, null, null) end
$$;

-- Gives a member the earning of a sale's kept units, by the rules that have not counted it yet. Later returns take back by the
-- ladder that came with the claim. The caller holds member and calculation. Replies a JSON array of {currencyId, amount}.
--   p_cause  of the movement
create or replace function claim_sale(
  p_by change_context, p_sale sale, p_member text, p_counted json, p_plan json, p_cause text
) returns json
language plpgsql as $$
declare
  -- As of return_state: of another one there are no returns.
  v_has_ladder boolean := not (p_sale.status = 'failed' and p_sale.result = 'unknown_calculation');
  v_accounts account[];
  v_before text[];
  v_discrepancies text[];
begin
  if v_has_ladder then
    insert into sale_ladder as l (calculation_id, ladder) values (p_sale.calculation_id, p_counted ->> 'ladder')
    on conflict (calculation_id) do update set ladder = excluded.ladder;
    perform refuse('{"kind":"changed"}')
    where (p_counted ->> 'returns')::bigint <> (select count(*) from sale_return r where r.calculation_id = p_sale.calculation_id);
  end if;
  v_accounts := planned_accounts(p_member, p_plan);
  v_before := array(select account_snapshot(n.account_id) from unnest(v_accounts) n);
  v_discrepancies := earn(p_sale, v_accounts, p_counted ->> 'earning', p_plan, p_by.actor, p_cause);
  perform announce_tier_of_sale(p_sale.calculation_id);
  perform audit_accounts(p_by, array[n.account_id], array[b.before])
  from rows from (unnest(v_accounts)) with ordinality n
  join unnest(v_before) with ordinality b (before, place) on b.place = n.ordinality
  where account_snapshot(n.account_id) <> b.before;

  update calculation c set member_id = p_member where c.calculation_id = p_sale.calculation_id and c.member_id is null;
  update sale s
  set claimed_at = clock_timestamp(), discrepancies = array_remove(s.discrepancies, 'earning_unknown') || v_discrepancies
  where s.calculation_id = p_sale.calculation_id;
  return (
    select coalesce(json_agg(json_build_object('currencyId', a.currency_id, 'amount', e.amount) order by a.currency_id), '[]')
    from movement m join entry e on e.movement_id = m.movement_id join account a on a.account_id = e.account_id
    where m.cause = p_cause
  );
end
$$;

-- True: another member has earned by a sale or was found for its basket (p_found). If it failed for an unknown calculation the
-- same member may claim the rest.
create or replace function has_other_member(p_sale sale, p_found text, p_member text) returns boolean
language sql stable as $$
  select case when 'earning_unknown' = any (p_sale.discrepancies)
    then coalesce(p_found <> p_member, false) or exists (
      select from earned e join account a on a.account_id = e.account_id
      where e.calculation_id = p_sale.calculation_id and a.member_id <> p_member
    )
    else p_found is not null
  end
$$;

-- Moves a sale from one member to another (4-member-value 5, MoveSale): what the one earned is taken back, and what it spent comes back, as
-- if everything were returned; the other earns by what is kept. Visits move, the ladder stays. The caller holds the members, the
-- calculation and the ladder.
--   p_counted  its plan is for the return_basis with the digest `seen`
create or replace function move_sale(
  p_by change_context, p_sale sale, p_members text[], p_counted json, p_plan json
) returns json
language plpgsql as $$
declare
  -- The earnings and spending of the one stay in its accounts under this id.
  v_past uuid := gen_random_uuid();
  v_accounts bigint[];
  v_snapshots text[];
  v_id constant uuid := p_sale.calculation_id;
  v_back json := p_counted -> 'back' -> 'plan';
  v_value record;
  v_given json;
begin
  perform lock_accounts(array_agg(n.member_id), array_agg(n.currency_id))
  from (
    select a.member_id, a.currency_id from buyer_accounts(v_id) a
    union
    select p_members[2], c.id from unnest(planned_currencies(p_plan)) c (id)
  ) n having count(*) > 0;
  perform refuse('{"kind":"changed"}') where md5(return_basis(v_id)::text) <> p_counted -> 'back' ->> 'seen';
  perform refuse('{"kind":"out_of_range"}') where not has_room(v_id, v_back);
  v_accounts := array(select a.account_id from buyer_accounts(v_id) a);
  v_snapshots := array(select account_snapshot(n.id) from unnest(v_accounts) with ordinality n (id, place) order by n.place);
  perform uncount_rules(v_id, v_back -> 'rules');
  select m.* into v_value
  from move_return(v_id, 'moved:' || p_by.request_id, p_by.actor, p_members[1], v_back) m;
  perform announce_tier_of_sale(v_id);
  update earned e set calculation_id = v_past where e.calculation_id = v_id;
  update value_hold_part p set calculation_id = v_past where p.calculation_id = v_id;
  update value_hold h set calculation_id = v_past where h.calculation_id = v_id;
  update value_hold h set used_by = v_past where h.used_by = v_id;
  update calculation c set member_id = p_members[2] where c.calculation_id = v_id;
  update ladder_basket b set member_id = p_members[2] where b.calculation_id = v_id;
  v_given := claim_sale(p_by, p_sale, p_members[2], p_counted, p_plan, 'request:' || p_by.request_id);
  perform move_visit(p_sale, p_members);
  perform audit_accounts(p_by, v_accounts, v_snapshots);
  perform add_audit(p_by, 'member', p_members[1], null, json_build_object('saleMovedAway', v_id)::text);
  perform add_audit(p_by, 'member', p_members[2], null, json_build_object('saleMovedHere', v_id)::text);
  return json_build_object('kind', 'done', 'takenBack', v_value.taken_back, 'givenBack', v_value.given_back, 'given', v_given);
end
$$;

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
