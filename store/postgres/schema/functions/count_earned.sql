-- Counts a sale for one rule: keeps what was counted, and says what it gives. A total T becomes T + b, and the sale gives
-- give x (floor((T + b) / n) - floor(T / n)), at most what the rule's maximum and the account leave; a visit gives once.
--   p_rule     one row of earning_rules
--   p_room     what the account can still be credited with
--   p_at       requestedAt; p_day: its local date
-- Replies
--   given  null: a sale within the cooldown was counted before, so nothing was written
--   full   the account had less room
-- Locks: the caller holds the account.
create or replace function count_earned(
  p_calculation uuid, p_account bigint, p_rule earning_rule, p_room bigint, p_at timestamptz, p_day date,
  out given bigint, out is_full boolean
)
language plpgsql as $$
declare
  -- In ten-thousandths, as the factor is.
  v_weighted numeric := p_rule.counted::numeric * p_rule.factor;
  v_step numeric := p_rule.every::numeric * 10000;
  v_total numeric;
  v_given numeric;
begin
  if exists (
    select from earned e
    where e.account_id = p_account and e.rule_id = p_rule.rule_id
      and e.at > p_at - p_rule.cooldown and e.at < p_at + p_rule.cooldown
  ) then
    return;
  end if;
  select t.total into v_total from earned_total t where t.account_id = p_account and t.rule_id = p_rule.rule_id;
  v_total := coalesce(v_total, 0);
  v_given := p_rule.give * case p_rule.per
    when 'visit' then 0
    else div(v_total + v_weighted, v_step) - div(v_total, v_step)
  end;
  if p_rule.per = 'visit' then
    v_given := div(p_rule.give * v_weighted, 10000);
  end if;
  if p_rule.period is not null then
    v_given := greatest(0, least(v_given, p_rule.most - given_within(p_account, p_rule.rule_id, p_rule.period, p_day)));
  end if;
  is_full := v_given > p_room;
  given := least(v_given, p_room);

  insert into earned (calculation_id, rule_id, account_id, at, day, counted, factor, given, is_limited)
  values (
    p_calculation, p_rule.rule_id, p_account, p_at, p_day, p_rule.counted, p_rule.factor, given,
    p_rule.period is not null or p_rule.cooldown is not null
  );
  insert into earned_total as t (account_id, rule_id, total, given)
  values (p_account, p_rule.rule_id, v_weighted, given)
  on conflict (account_id, rule_id) do update set total = t.total + excluded.total, given = t.given + excluded.given;
end
$$;
