-- The net of the basket that a sale charged: as returned, or as sent.
create or replace function charged_net(p_sale sale, p_calculation calculation) returns bigint
language sql stable as $$
  select case when p_sale.status = 'applied' then p_calculation.net_after else p_calculation.net_before end
$$;
