-- Claims the transaction of a sale event: another event of it that comes meanwhile waits, and then finds this sale.
-- Replies true: it is the first, or names no transaction; false: another calculation's sale of the same venue, register, transaction,
-- paid total and local day is stored. A paid total that both leave out is the same. Locks: the transaction.
create or replace function claim_transaction(p_sale sale) returns boolean
language plpgsql as $$
begin
  if p_sale.transaction_id is null or p_sale.venue_id is null or p_sale.cash_register_id is null then
    return true;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(
    concat_ws(' ', 'loyalty transaction', p_sale.transaction_id, p_sale.venue_id, p_sale.cash_register_id), 0
  ));
  return not exists (
    select from sale s
    where s.transaction_id = p_sale.transaction_id and s.venue_id = p_sale.venue_id and s.cash_register_id = p_sale.cash_register_id
      and coalesce(s.paid_total, -1) = coalesce(p_sale.paid_total, -1) and s.calculation_id <> p_sale.calculation_id
      and sale_day(s) = sale_day(p_sale)
  );
end
$$;
