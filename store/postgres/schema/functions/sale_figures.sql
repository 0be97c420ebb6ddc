-- What sales add to sale_sum: one row for each sale. A repeated transaction adds nothing: it was paid once.
create or replace function sale_figures(p_sales uuid[]) returns setof sale_sum
language sql stable as $$
  select coalesce(c.venue_id, s.venue_id, ''), local_day(coalesce(c.answered_at, s.recorded_at), v.time_zone), s.currency,
    (s.status <> 'cancelled')::integer::bigint, (s.status <> 'cancelled' and c.member_id is not null)::integer::bigint,
    (s.status = 'applied')::integer::bigint, (s.status = 'failed')::integer::bigint, (s.status = 'cancelled')::integer::bigint,
    case when s.status <> 'cancelled' then coalesce(s.paid_total, 0) else 0 end,
    case when s.status = 'applied' then coalesce(s.loyalty_discount_total, 0) else 0 end
  from unnest(p_sales) i (id)
  join sale s on s.calculation_id = i.id
  left join calculation c on c.calculation_id = i.id
  left join venue v on v.venue_id = coalesce(c.venue_id, s.venue_id)
  where 'transaction_repeated' <> all (s.discrepancies)
$$;
