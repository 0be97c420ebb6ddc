-- Takes what was returned of a sale out of what its rules counted. A total T falls to T', and give x (floor(T / n) - floor(T' / n)) is to
-- be taken back, at most what the rule has given this member and not taken back; of a rule with a maximum or a cooldown, and of a visit,
-- at most what this sale was given.
--   p_ladder    as of sale_ladder
--   p_returned  thousandths by line, this return included
-- Replies what is to be taken back from each account; 0 is left out. Locks: the caller holds the ladder and the accounts.
create or replace function uncount_sale(p_calculation uuid, p_ladder json, p_returned bigint[])
returns table (account_id bigint, on_return text, amount bigint)
language plpgsql as $$
#variable_conflict use_column
declare
  v_all bigint[] := array_fill(0::bigint, array[cardinality(p_returned)]);
  v_rule record;
  v_total earned_total;
  v_out numeric;
  v_taken numeric;
begin
  for v_rule in
    -- What was counted is not what the ladder counts where a sale was joined, or scaled, without its basket: then in proportion.
    select e.*, r.give, r.per, r.every::numeric * 10000 as step, coalesce(k.on_return, 'to_zero') as on_return, k.place, case
      when a.counted > 0 then div(e.counted::numeric * k.counted, a.counted)
      when anything_kept(p_ladder, p_returned) then e.counted
      else 0
    end as kept
    from earned e
    join value_rule r on r.rule_id = e.rule_id
    left join kept_counts(p_ladder, v_all) a on a.rule_id = e.rule_id
    left join kept_counts(p_ladder, p_returned) k on k.rule_id = e.rule_id
    where e.calculation_id = p_calculation
    order by k.place, e.rule_id
  loop
    v_out := v_rule.counted - v_rule.returned - v_rule.kept;
    continue when v_out <= 0;
    select t.* into strict v_total from earned_total t
    where t.account_id = v_rule.account_id and t.rule_id = v_rule.rule_id;
    v_taken := least(
      case when v_rule.per = 'visit' then v_rule.given else
        v_rule.give * (div(v_total.total, v_rule.step) - div(v_total.total - v_out * v_rule.factor, v_rule.step))
      end,
      case when v_rule.per = 'visit' or v_rule.is_limited then greatest(0, v_rule.given - v_rule.taken) end,
      v_total.given - v_total.taken
    );
    update earned e set returned = e.returned + v_out, taken = e.taken + v_taken
    where e.calculation_id = p_calculation and e.rule_id = v_rule.rule_id;
    update earned_total t set total = t.total - v_out * v_rule.factor, taken = t.taken + v_taken
    where t.account_id = v_rule.account_id and t.rule_id = v_rule.rule_id;
    continue when v_taken = 0;
    account_id := v_rule.account_id;
    on_return := v_rule.on_return;
    amount := v_taken;
    return next;
  end loop;
end
$$;
