-- Uses what a calculation held of accounts, or still holds, for the sale of another one that was charged with its discounts.
--   p_calculation  null: nothing is done
-- Replies whether some of it became debt. Locks: the caller holds the accounts, and the calculation of the sale.
create or replace function use_carried(p_calculation uuid, p_sale uuid) returns boolean
language plpgsql as $$
begin
  if p_calculation is null then
    return false;
  end if;
  perform release_value(array[p_calculation], null);
  return use_value_late(p_calculation, p_sale);
end
$$;
