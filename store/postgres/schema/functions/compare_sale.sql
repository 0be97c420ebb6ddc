-- The discrepancies between a sale and its calculation. A field that the event leaves out is not compared.
create or replace function compare_sale(p_sale sale, p_calculation calculation) returns text[]
language sql stable as $$
  select array_remove(array[
    case when p_sale.status not in ('failed', 'cancelled') and p_sale.status::text <> p_calculation.status::text
      then 'status_mismatch' end,
    case when p_sale.currency <> p_calculation.currency then 'currency_mismatch' end,
    case when p_sale.venue_id is distinct from p_calculation.venue_id then 'venue_mismatch' end,
    case when p_sale.loyalty_id_sent and p_sale.loyalty_id is distinct from p_calculation.loyalty_id
      then 'loyalty_id_mismatch' end,
    case when p_sale.paid_total <> charged_net(p_sale, p_calculation) then 'paid_total_mismatch' end,
    case when p_sale.status = 'applied' and p_sale.loyalty_discount_total <> p_calculation.loyalty_discount_total
      then 'discount_total_mismatch' end
  ], null)
$$;
