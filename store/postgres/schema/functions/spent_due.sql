-- What a return gives back of what its sale used, by account.
--   p_ladder           as of sale_ladder
--   p_before, p_after  thousandths by line, without this return and with it
-- Replies beside the amount what returns have given back before. Locks: the caller holds the ladder.
create or replace function spent_due(p_calculation uuid, p_ladder json, p_before bigint[], p_after bigint[])
returns table (account_id bigint, currency_id text, before bigint, amount bigint)
language sql stable as $$
  select a.account_id, a.currency_id, least(h.amount, o.amount), least(h.amount, n.amount) - least(h.amount, o.amount)
  from value_hold h
  join account a on a.account_id = h.account_id
  join spent_back(p_ladder, p_before) o on o.currency_id = a.currency_id
  join spent_back(p_ladder, p_after) n on n.currency_id = a.currency_id
  where h.calculation_id = p_calculation and h.state in ('used', 'late')
$$;
