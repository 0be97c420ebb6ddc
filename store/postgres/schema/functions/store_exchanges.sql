-- Stores the exchanges of a programme in the place of those before.
--   p_currencies  as of store_currencies; each row has its `exchanges`: those that take from this currency
-- Locks: the caller holds lock_changes.
create or replace function store_exchanges(p_currencies json) returns void
language plpgsql as $$
begin
  delete from value_exchange;
  insert into value_exchange (from_currency_id, to_currency_id, exchange_id, from_amount, to_amount, valid_days)
  select c.currency_id, e.to_currency_id, e.exchange_id, e.from_amount, e.to_amount, e.valid_days
  from json_to_recordset(p_currencies) as c (currency_id text, exchanges json),
    json_to_recordset(c.exchanges)
      as e (exchange_id text, from_amount bigint, to_currency_id text, to_amount bigint, valid_days integer);
end
$$;
