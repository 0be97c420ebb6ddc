-- Gives a member what a sale earns, and keeps what each rule counted of it. Every sale comes here once at most.
--   p_sale     decides by its status which basket was charged, if any
--   p_member   null: nobody
--   p_earning  what the rules count, as of `calculation.earning`; where less was paid than the basket's net, counted anew
--   p_claim    who claims the sale for the member; null: the sale itself earns
-- Replies discrepancies: value_full where an account had no room for all of it.
-- Locks: the caller holds the calculation, or its absence; accounts are locked here.
create or replace function earn(p_sale sale, p_member text, p_earning text, p_claim change_context default null) returns text[]
language plpgsql as $$
declare
  v_returned boolean := p_sale.status = 'applied';
  v_at timestamptz := moment_of((p_earning::json ->> 'at')::bigint * 1000);
  v_day date := p_earning::json ->> 'day';
  v_accounts jsonb;
  v_account bigint;
  v_rule earning_rule;
  v_sum record;
  v_room bigint;
  v_given bigint;
  v_full boolean;
  v_movement movement;
  v_discrepancies text[] := '{}';
begin
  if p_member is null or p_earning is null or p_sale.status in ('member_not_found', 'cancelled') then
    return '{}';
  end if;
  select jsonb_object_agg(a.currency_id, a.account_id) into v_accounts
  from (
    select array_agg(p_member) as members, array_agg(r.currency_id) as currencies from earning_rules(p_earning, v_returned) r
  ) n cross join lateral lock_accounts(n.members, n.currencies) a;

  for v_rule in select * from earning_rules(p_earning, v_returned) loop
    v_account := v_accounts ->> v_rule.currency_id;
    -- None: the member was forgotten meanwhile.
    continue when v_account is null;
    v_room := account_room(v_account, true) - coalesce((
      select sum(e.given) from earned e where e.calculation_id = p_sale.calculation_id and e.account_id = v_account
    ), 0);
    select c.given, c.is_full into v_given, v_full
    from count_earned(p_sale.calculation_id, v_account, v_rule, v_room, v_at, v_day) c;
    if v_full then
      v_discrepancies := array['value_full'];
    end if;
  end loop;

  for v_sum in
    select e.account_id, sum(e.given)::bigint as given, min(r.opens_after) as opens_after, min(r.expires::text)::json as expires
    from earned e join earning_rules(p_earning, v_returned) r on r.rule_id = e.rule_id
    where e.calculation_id = p_sale.calculation_id and e.given > 0
    group by e.account_id
    order by e.account_id
  loop
    if v_movement.movement_id is null then
      v_movement := add_movement(
        'earned', case when p_claim is null then 'calculation:' else 'claim:' end || p_sale.calculation_id, '',
        coalesce(p_claim.actor, '')
      );
    end if;
    perform credit(
      v_movement, v_sum.account_id, 'issued', v_sum.given, p_sale.recorded_at + v_sum.opens_after,
      lot_expiry(p_sale.recorded_at, p_earning::json ->> 'timeZone', v_sum.expires), true, p_sale.calculation_id
    );
  end loop;
  return v_discrepancies;
end
$$;
