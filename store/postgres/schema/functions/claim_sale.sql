-- Gives a member what is earned on what is kept of a sale, by the rules that have not counted it yet, marks the sale as claimed, and its
-- calculation as the member's. Later returns take back by the ladder that came with the claim.
--   p_counted  as of order_sale_claim
-- Replies a JSON array of {currencyId, amount}: what was given. Locks: the caller holds member and calculation; ladder, accounts,
-- visits and then the sale are locked here.
create or replace function claim_sale(p_by change_context, p_sale sale, p_member text, p_counted json) returns json
language plpgsql as $$
declare
  -- As of return_state: of another one there are no returns.
  v_has_ladder boolean := not (p_sale.status = 'failed' and p_sale.result = 'unknown_calculation');
  v_earning jsonb;
  v_charged sale := p_sale;
  v_accounts bigint[];
  v_before text[];
  v_discrepancies text[];
begin
  if v_has_ladder then
    insert into sale_ladder as l (calculation_id, ladder) values (p_sale.calculation_id, p_counted ->> 'ladder')
    on conflict (calculation_id) do update set ladder = excluded.ladder;
  end if;
  v_earning := claimed_rules(p_sale.calculation_id, p_counted, v_has_ladder);
  select array_agg(l.account_id), array_agg(account_snapshot(l.account_id)) into v_accounts, v_before
  from (
    select array_agg(p_member) as members, array_agg(r.currency_id) as currencies from earning_rules(v_earning, false) r
    having count(*) > 0
  ) n cross join lateral lock_accounts(n.members, n.currencies) l;
  v_charged.status := 'unchanged';
  v_discrepancies := earn(v_charged, p_member, v_earning::text, p_by);
  update earned e
  set counted = r."all", returned = r."all" - e.counted, recorded_at = p_sale.recorded_at
  from jsonb_to_recordset(v_earning -> 'rules') as r ("ruleId" text, "all" bigint)
  where e.calculation_id = p_sale.calculation_id and e.rule_id = r."ruleId";
  perform announce_tier_of_sale(p_sale.calculation_id);
  perform audit_accounts(p_by, array[n.account_id], array[n.before])
  from unnest(v_accounts, v_before) n (account_id, before)
  where account_snapshot(n.account_id) <> n.before;

  update calculation c set member_id = p_member where c.calculation_id = p_sale.calculation_id and c.member_id is null;
  update sale s
  set claimed_at = clock_timestamp(), discrepancies = array_remove(s.discrepancies, 'earning_unknown') || v_discrepancies
  where s.calculation_id = p_sale.calculation_id;
  return (
    select coalesce(json_agg(json_build_object('currencyId', a.currency_id, 'amount', e.amount) order by a.currency_id), '[]')
    from movement m join entry e on e.movement_id = m.movement_id join account a on a.account_id = e.account_id
    where m.cause = 'claim:' || p_sale.calculation_id
  );
end
$$;
