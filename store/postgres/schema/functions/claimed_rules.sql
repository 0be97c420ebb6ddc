-- What the rules count of what is kept of a sale that is claimed: those of its earning that have not counted it yet.
--   p_counted  as of order_sale_claim
-- Replies the earning with {sent, all} of each rule: what is kept, above 0, and what was bought.
-- Locks: the caller holds the ladder, if there is one.
create or replace function claimed_rules(p_calculation uuid, p_counted json, p_has_ladder boolean) returns jsonb
language plpgsql as $$
declare
  v_earning jsonb := (p_counted ->> 'earning')::jsonb;
  v_ladder json := p_counted -> 'ladder';
  v_all bigint[];
  v_returned bigint[];
begin
  if p_has_ladder then
    v_all := array_fill(0::bigint, array[json_array_length(v_ladder -> 'lines')]);
    v_returned := returned_lines(p_calculation, v_ladder);
  end if;
  return v_earning || jsonb_build_object('rules', (
    select coalesce(jsonb_agg(n.rule || jsonb_build_object('sent', n.kept, 'all', n.sent) order by n.place), '[]')
    from (
      select r.rule, r.place, s.sent, case
        when not p_has_ladder then s.sent
        -- In proportion, as returns do (uncount_sale).
        when a.counted > 0 then div(s.sent::numeric * k.counted, a.counted)
        when anything_kept(v_ladder, v_returned) then s.sent
        else 0
      end as kept
      from jsonb_array_elements(v_earning -> 'rules') with ordinality r (rule, place)
      cross join lateral (select (r.rule ->> 'sent')::bigint as sent) s
      left join kept_counts(v_ladder, v_all) a on p_has_ladder and a.rule_id = r.rule ->> 'ruleId'
      left join kept_counts(v_ladder, v_returned) k on p_has_ladder and k.rule_id = r.rule ->> 'ruleId'
      where not exists (
        select from earned e where e.calculation_id = p_calculation and e.rule_id = r.rule ->> 'ruleId'
      )
    ) n
    where n.kept > 0
  ));
end
$$;
