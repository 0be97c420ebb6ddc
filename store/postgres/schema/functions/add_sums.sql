-- Adds sales to the daily sums.
--   p_new      whose sale is not in them
--   p_given    whose benefits are not in them
--   p_earning  whose earning is not in them
create or replace function add_sums(p_new uuid[], p_given uuid[], p_earning uuid[]) returns void
language plpgsql as $$
begin
  insert into sale_sum as t
  select f.venue_id, f.day, f.currency, sum(f.sales), sum(f.member_sales), sum(f.applied), sum(f.failed), sum(f.cancelled), sum(f.paid),
    sum(f.discount)
  from sale_figures(p_new) f group by f.venue_id, f.day, f.currency
  on conflict (venue_id, day, currency) do update set
    sales = t.sales + excluded.sales, member_sales = t.member_sales + excluded.member_sales, applied = t.applied + excluded.applied,
    failed = t.failed + excluded.failed, cancelled = t.cancelled + excluded.cancelled, paid = t.paid + excluded.paid,
    discount = t.discount + excluded.discount;

  insert into benefit_sum as t
  select k.span, k.venue_id, k.day, f.benefit_id, f.currency, sum(f.calculations), sum(f.redemptions), sum(f.discount), sum(f.paid)
  from benefit_figures(p_given) f cross join lateral sum_keys(f.venue_id, f.day) k
  group by k.span, k.venue_id, k.day, f.benefit_id, f.currency
  on conflict (span, venue_id, day, benefit_id, currency) do update set
    calculations = t.calculations + excluded.calculations, redemptions = t.redemptions + excluded.redemptions,
    discount = t.discount + excluded.discount, paid = t.paid + excluded.paid;

  insert into value_sum as t
  select k.span, k.venue_id, k.day, f.source_id, f.currency_id, sum(f.earned), sum(f.spent)
  from value_figures(p_earning) f cross join lateral sum_keys(f.venue_id, f.day) k
  group by k.span, k.venue_id, k.day, f.source_id, f.currency_id
  on conflict (span, venue_id, day, source_id, currency_id) do update set
    earned = t.earned + excluded.earned, spent = t.spent + excluded.spent;

  perform add_reach(p_given);
end
$$;
