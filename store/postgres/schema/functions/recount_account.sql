-- Compares one account with its entries, in one snapshot, the transfers among these with their other side, and the totals of earning
-- rules with the sales that they counted.
--   p_rows       entries, and counted sales, read at most
--   passed_over  it has more than p_rows; nothing was compared
--   difference   text with both sides; null: no difference
create or replace function recount_account(p_account bigint, p_rows integer, out passed_over boolean, out difference text)
language sql volatile as $$
  select greatest(d.rows, c.rows) > p_rows, case
    when greatest(d.rows, c.rows) > p_rows then null
    when h.amount - a.debt <> d.amount then
      format('account %s of %s: lots %s, debt %s; by the entries %s', p_account, a.currency_id, h.amount, a.debt, d.amount)
    when d.lopsided > 0 then
      format('account %s of %s: %s transfers do not sum to zero', p_account, a.currency_id, d.lopsided)
    when c.given <> t.given then
      format('account %s of %s: rules gave %s; by the sales %s', p_account, a.currency_id, t.given, c.given)
  end
  from account a, lateral (
    select coalesce(sum(l.amount), 0)::bigint as amount from lot l where l.account_id = p_account
  ) h, lateral (
    select count(*) as rows, coalesce(sum(e.amount), 0)::bigint as amount,
      count(*) filter (where e.against = 'transferred' and (
        select sum(o.amount) from entry o where o.movement_id = e.movement_id and o.against = 'transferred'
      ) <> 0) as lopsided
    from (select * from entry r where r.account_id = p_account limit p_rows + 1) e
  ) d, lateral (
    select coalesce(sum(r.given - r.completed), 0) as given from earned_total r where r.account_id = p_account
  ) t, lateral (
    select count(*) as rows, coalesce(sum(s.given), 0) as given
    from (select r.given from earned r where r.account_id = p_account limit p_rows + 1) s
  ) c
  where a.account_id = p_account
$$;
