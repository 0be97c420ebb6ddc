-- What a rule has given an account in a period, with what merges completed, what was lost to its maximum left out.
--   p_period  basket: nothing yet; day, week (from Monday) or month that p_day is in; ever
--   p_day     local date of the sale
-- Locks: the caller holds the account.
create or replace function given_within(p_account bigint, p_rule text, p_period text, p_day date) returns numeric
language plpgsql stable as $$
declare
  v_from timestamp;
  v_to timestamp;
begin
  if p_period = 'basket' then
    return 0;
  elsif p_period = 'ever' then
    return coalesce((select t.given from earned_total t where t.account_id = p_account and t.rule_id = p_rule), 0);
  end if;
  v_from := date_trunc(p_period, p_day::timestamp);
  v_to := v_from + ('1 ' || p_period)::interval;
  return coalesce((
    select sum(e.given) from earned e
    where e.account_id = p_account and e.rule_id = p_rule and e.day >= v_from::date and e.day < v_to::date
      -- For the index: a local date and its time in UTC are less than a day apart.
      and e.at > v_from at time zone 'UTC' - interval '1 day' and e.at < v_to at time zone 'UTC' + interval '1 day'
  ), 0) + coalesce((
    select sum(u.given) from completed_units u
    where u.account_id = p_account and u.rule_id = p_rule and u.day >= v_from::date and u.day < v_to::date
  ), 0);
end
$$;
