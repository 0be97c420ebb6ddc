-- The accounts that a sale moved.
create or replace function buyer_accounts(p_calculation uuid) returns setof account
language sql volatile as $$
  select a.* from account a
  where a.account_id in (
    select e.account_id from earned e where e.calculation_id = p_calculation
    union
    select h.account_id from value_hold h where h.calculation_id = p_calculation and h.state in ('used', 'late')
  )
  order by a.account_id
$$;
