-- What a return moved of a currency, as its replies have it.
create or replace function moved_row(p_currency text, p_amount bigint, p_debt bigint, p_forgiven bigint) returns json
language sql immutable as $$
  select json_build_object('currencyId', p_currency, 'amount', p_amount, 'debt', p_debt, 'forgiven', p_forgiven)
$$;
