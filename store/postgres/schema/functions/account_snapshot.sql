-- An account as audit records show it, JSON.
create or replace function account_snapshot(p_account bigint) returns text
language sql volatile as $$
  select json_build_object(
    'currencyId', a.currency_id, 'available', s.available, 'pending', s.pending, 'held', s.held, 'debt', a.debt
  )::text
  from account a, account_sums(a.account_id, clock_timestamp()) s
  where a.account_id = p_account
$$;
