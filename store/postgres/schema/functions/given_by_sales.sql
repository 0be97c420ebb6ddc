-- What benefits gave in sales: a row for each benefit of each sale whose calculation is there. A benefit is redeemed where the basket was
-- charged as answered, and is no repeated transaction.
create or replace function given_by_sales(p_sales uuid[])
returns table (
  day date, venue_id text, benefit_id text, currency text, redeemed boolean, discount bigint, paid bigint, cost_currency text, cost bigint
)
language sql stable as $$
  select local_day(c.answered_at, v.time_zone), c.venue_id, g ->> 0, c.currency,
    settled_status(s) = 'applied' or (settled_status(s) = 'unchanged' and c.status = 'unchanged'), (g ->> 1)::bigint, coalesce(s.paid_total, 0),
    g ->> 2, (g ->> 3)::bigint
  from unnest(p_sales) i (id)
  join sale s on s.calculation_id = i.id
  join calculation c on c.calculation_id = i.id
  left join venue v on v.venue_id = c.venue_id
  cross join lateral json_array_elements(c.gave::json) g
$$;
