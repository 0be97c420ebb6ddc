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
  v_earning jsonb := p_earning;
  v_rules earning_rule[];
  v_currencies text[];
  v_counted record;
begin
  if p_member is null or p_earning is null or p_sale.status in ('member_not_found', 'cancelled') then
    return '{}';
  end if;
  select array_agg(r), array_agg(r.currency_id) into v_rules, v_currencies
  from earning_rules(v_earning, p_sale.status = 'applied') r;
  if v_rules is null then
    return '{}';
  end if;
  v_counted := count_earned(
    p_sale, v_rules, locked_accounts(array_fill(p_member, array[cardinality(v_currencies)]), v_currencies),
    moment_of((v_earning ->> 'at')::bigint * 1000), (v_earning ->> 'day')::date, v_earning ->> 'timeZone'
  );
  if v_counted.credits is not null then
    perform credit_accounts(
      add_movement(
        'earned', case when p_claim is null then 'calculation:' else 'claim:' end || p_sale.calculation_id, '',
        coalesce(p_claim.actor, '')
      ),
      'issued', v_counted.credits, v_counted.owes, p_sale.calculation_id
    );
  end if;
  return case when v_counted.is_full then array['value_full'] else '{}' end;
end
$$;
