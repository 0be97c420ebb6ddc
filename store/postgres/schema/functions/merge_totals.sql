-- Adds the totals of one account's rules to those of another, with the sales that they counted, and gives the units that the sums
-- complete: as many as the rule's maximum of today leaves, opening and expiring as if earned now. They pay debt first.
--   p_from_member  whose account p_from is
-- Replies what was given; null: the account has no room for it. Locks: the caller holds both accounts.
create or replace function merge_totals(p_by change_context, p_from_member text, p_from bigint, p_into bigint) returns bigint
language plpgsql as $$
declare
  v_rule record;
  v_units numeric;
  v_sum numeric := 0;
  v_at timestamptz := clock_timestamp();
  v_day date;
  v_opens_after interval;
  v_expires timestamptz;
begin
  update earned e set account_id = p_into where e.account_id = p_from;
  insert into completed_units as u (account_id, rule_id, day, given)
  select p_into, f.rule_id, f.day, f.given from completed_units f where f.account_id = p_from
  on conflict (account_id, rule_id, day) do update set given = u.given + excluded.given;
  delete from completed_units u where u.account_id = p_from;
  for v_rule in
    select f.*, coalesce(i.total, 0) as other, r.give, r.per, r.every::numeric * 10000 as step, r.terms::json as terms
    from earned_total f
    left join earned_total i on i.account_id = p_into and i.rule_id = f.rule_id
    left join value_rule r on r.rule_id = f.rule_id
    where f.account_id = p_from
    order by f.rule_id
  loop
    delete from earned_total t where t.account_id = p_from and t.rule_id = v_rule.rule_id;
    insert into earned_total as t (account_id, rule_id, total, given, taken, completed)
    values (p_into, v_rule.rule_id, v_rule.total, v_rule.given, v_rule.taken, v_rule.completed)
    on conflict (account_id, rule_id) do update
      set total = t.total + excluded.total, given = t.given + excluded.given, taken = t.taken + excluded.taken,
        completed = t.completed + excluded.completed;
    continue when v_rule.step is null;
    v_units := v_rule.give * (
      div(v_rule.total + v_rule.other, v_rule.step) - div(v_rule.total, v_rule.step) - div(v_rule.other, v_rule.step)
    );
    v_day := local_day(v_at, v_rule.terms ->> 'timeZone');
    if v_rule.terms -> 'maximum' ->> 'period' is not null then
      v_units := least(v_units, (v_rule.terms -> 'maximum' ->> 'amount')::bigint - given_within(
        p_into, v_rule.rule_id, v_rule.terms -> 'maximum' ->> 'period', v_day
      ));
    end if;
    continue when v_units <= 0;
    insert into completed_units as u (account_id, rule_id, day, given) values (p_into, v_rule.rule_id, v_day, v_units)
    on conflict (account_id, rule_id, day) do update set given = u.given + excluded.given;
    update earned_total t set given = t.given + v_units, completed = t.completed + v_units
    where t.account_id = p_into and t.rule_id = v_rule.rule_id;
    v_sum := v_sum + v_units;
    v_opens_after := make_interval(hours => 24 * coalesce((v_rule.terms ->> 'opensAfterDays')::integer, 0));
    v_expires := lot_expiry(v_at, v_rule.terms ->> 'timeZone', (v_rule.terms ->> 'expires')::json);
  end loop;
  if v_sum > account_room(p_into, true) then
    return null;
  end if;
  if v_sum > 0 then
    perform credit(
      merge_of(p_by, p_from_member), p_into, 'issued', v_sum::bigint, v_at + v_opens_after, v_expires, true
    );
  end if;
  return v_sum;
end
$$;
