-- What sales add to value_sum, by day and venue: what rules gave for them when they were settled, and what benefits cost. What was claimed later does not
-- count.
create or replace function value_figures(p_sales uuid[])
returns table (venue_id text, day date, source_id text, currency_id text, earned bigint, spent bigint)
language sql stable as $$
  select f.venue_id, f.day, f.source_id, f.currency_id, sum(f.earned)::bigint, sum(f.spent)::bigint
  from (
    select local_day(coalesce(c.answered_at, s.recorded_at), v.time_zone) as day, coalesce(c.venue_id, s.venue_id, '') as venue_id,
      e.rule_id as source_id, a.currency_id, e.given as earned, 0 as spent
    from unnest(p_sales) i (id)
    join sale s on s.calculation_id = i.id
    join earned e on e.calculation_id = i.id
    join account a on a.account_id = e.account_id
    left join calculation c on c.calculation_id = i.id
    left join venue v on v.venue_id = coalesce(c.venue_id, s.venue_id)
    where s.claimed_at is null
    union all
    select g.day, g.venue_id, g.benefit_id, g.cost_currency, 0, g.cost
    from given_by_sales(p_sales) g
    where g.redeemed and g.cost > 0
  ) f
  group by f.day, f.venue_id, f.source_id, f.currency_id
$$;
