-- Whether less was paid than the net of the basket that was charged: then what is earned counts what was paid.
create or replace function paid_less(p_sale sale, p_calculation calculation) returns boolean
language sql stable as $$
  select p_sale.status in ('applied', 'unchanged', 'failed')
    and coalesce(p_sale.paid_total < charged_net(p_sale, p_calculation), false)
$$;
