-- The status by which a sale settles: a repeated transaction uses and earns nothing, as where no member was found.
create or replace function settled_status(p_sale sale) returns sale_status
language sql immutable as $$
  select case when 'transaction_repeated' = any (p_sale.discrepancies) then 'member_not_found' else p_sale.status end
$$;
