-- Gives a member the earning of a sale without member: one that was charged as sent because the member was not found, or the rest of one that
-- failed for an unknown calculation which came later (earning_unknown). Once; it spends nothing.
--   p_member, p_loyalty_id  one of them; the other is null
--   p_counted               JSON of {earning, ladder, returns}: for the basket as sent for this member, less its returns so far (`returns`:
--                           their number); null: its basket is gone
--   p_plan                  as of earn, which may raise LY007; by claim_basis
-- Replies
--   {"kind":"done","given":[{currencyId, amount}]}  the sale has its discrepancies, without earning_unknown
--   {"kind":"changed"}                              there are more returns now: count again
--   {"kind":"unknown_sale"}                         none, nothing was charged, or it repeats a transaction
--   {"kind":"unknown_calculation"}                  it never came
--   {"kind":"unknown_member" | "blocked_member" | "already_claimed" | "has_member" | "body_gone"}
create or replace function change_sale_claim(
  p_by change_context, p_digest bytea, p_member text, p_loyalty_id text, p_calculation uuid, p_counted text, p_plan json
) returns json
language plpgsql as $$
declare
  v_reply json := claim_request(p_by, p_digest);
  v_member text;
  v_calculation calculation;
  v_sale sale;
  v_kind text;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  v_member := lock_member(p_member, p_loyalty_id);
  select c.* into v_calculation from calculation c where c.calculation_id = p_calculation for update;
  select s.* into v_sale from sale s where s.calculation_id = p_calculation;
  v_kind := case
    when v_member is null then 'unknown_member'
    -- Quotes inside the strings of a body are escaped, so this matches only the field.
    when (select strpos(m.body, '"blocked":true') > 0 from member m where m.member_id = v_member) then 'blocked_member'
    when v_sale.status is null or v_sale.status = 'cancelled' or 'transaction_repeated' = any (v_sale.discrepancies) then 'unknown_sale'
    when v_sale.claimed_at is not null then 'already_claimed'
    when has_other_member(v_sale, v_calculation.member_id, v_member) then 'has_member'
    when v_calculation.calculation_id is null then 'unknown_calculation'
    when p_counted is null then 'body_gone'
  end;
  if v_kind is not null then
    return free_request(p_by, json_build_object('kind', v_kind));
  end if;
  return store_reply(p_by, json_build_object(
    'kind', 'done', 'given', claim_sale(p_by, v_sale, v_member, p_counted::json, p_plan, 'claim:' || p_calculation)
  ));
exception when sqlstate 'LY006' then
  return free_request(p_by, '{"kind":"changed"}');
end
$$;

-- The reply of a claim that is made and rolled back, so that a quote never differs from the claim.
create or replace function quote_sale_claim(
  p_by change_context, p_digest bytea, p_member text, p_loyalty_id text, p_calculation uuid, p_counted text, p_plan json
) returns json
language plpgsql as $$
declare
  v_reply json;
begin
  begin
    v_reply := change_sale_claim(p_by, p_digest, p_member, p_loyalty_id, p_calculation, p_counted, p_plan);
    raise exception 'quoted' using errcode = 'LY004';
  exception when sqlstate 'LY004' then
    null;
  end;
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
    if (p_counted ->> 'returns')::bigint <> (select count(*) from sale_return r where r.calculation_id = p_sale.calculation_id) then
      raise exception 'there are more returns' using errcode = 'LY006';
    end if;
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
