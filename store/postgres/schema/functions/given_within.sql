-- What a rule has given an account in a period, with what merges completed, what was lost to its maximum left out.
--   p_period  basket: nothing yet; day, week (from Monday) or month that p_day is in; ever
--   p_day     local date of the sale
-- Locks: the caller holds the account.
create or replace function given_within(p_account bigint, p_rule text, p_period text, p_day date) returns numeric
language sql stable as $$
  select case p_period
    when 'basket' then 0
    when 'ever' then coalesce((select t.given from earned_total t where t.account_id = p_account and t.rule_id = p_rule), 0)
    else (
      select coalesce((
        select sum(e.given) from earned e
        where e.account_id = p_account and e.rule_id = p_rule and e.day >= d.first and e.day < d.next
      ), 0) + coalesce((
        select sum(u.given) from completed_units u
        where u.account_id = p_account and u.rule_id = p_rule and u.day >= d.first and u.day < d.next
      ), 0)
      from (
        select date_trunc(p_period, p_day::timestamp)::date as first,
          (date_trunc(p_period, p_day::timestamp) + ('1 ' || p_period)::interval)::date as next
      ) d
    )
  end
$$;
