-- Stores currencies with the rules that give them. What is fixed never changes: fixed_faults refuses a programme that would.
--   p_currencies  JSON array of {currency_id, name, scale, rules: [{place, rule_id, give, per, every, terms}], terms}; terms as in `value_rule`
--                 and `value_currency`
-- Locks: the caller holds lock_changes.
create or replace function store_currencies(p_currencies json) returns void
language sql as $$
  insert into value_rule as k (rule_id, currency_id, give, per, every, terms)
  select r.rule_id, c.currency_id, r.give, r.per, r.every, coalesce(r.terms::text, '{}')
  from json_to_recordset(p_currencies) as c (currency_id text, rules json)
  cross join json_to_recordset(c.rules) as r (rule_id text, give bigint, per text, every bigint, terms json)
  order by r.rule_id
  on conflict (rule_id) do update set terms = excluded.terms where k.terms <> excluded.terms;

  insert into value_currency as k (currency_id, name, scale, terms)
  select c.currency_id, c.name, c.scale, coalesce(c.terms::text, '{}')
  from json_to_recordset(p_currencies) as c (currency_id text, name text, scale integer, terms json)
  order by c.currency_id
  on conflict (currency_id) do update set name = excluded.name, terms = excluded.terms
  where (k.name, k.terms) <> (excluded.name, excluded.terms)
$$;
