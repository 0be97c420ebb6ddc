-- Stores currencies. A scale never changes: fixed_faults refuses a programme with another one.
--   p_currencies  JSON array of {currency_id, name, scale}
-- Locks: the caller holds lock_changes.
create or replace function store_currencies(p_currencies json) returns void
language sql as $$
  insert into value_currency as k (currency_id, name, scale)
  select c.currency_id, c.name, c.scale
  from json_to_recordset(p_currencies) as c (currency_id text, name text, scale integer)
  order by c.currency_id
  on conflict (currency_id) do update set name = excluded.name where k.name <> excluded.name
$$;
