-- What sales add to benefit_sum, by day and venue.
create or replace function benefit_figures(p_sales uuid[])
returns table (
  venue_id text, day date, benefit_id text, currency text, calculations bigint, redemptions bigint, discount bigint, paid bigint
)
language sql stable as $$
  select g.venue_id, g.day, g.benefit_id, g.currency, count(*), count(*) filter (where g.redeemed),
    coalesce(sum(g.discount) filter (where g.redeemed), 0)::bigint, coalesce(sum(g.paid) filter (where g.redeemed), 0)::bigint
  from given_by_sales(p_sales) g
  group by g.day, g.venue_id, g.benefit_id, g.currency
$$;
