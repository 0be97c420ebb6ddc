-- Compares one account with its entries, in one snapshot, the transfers among these with their other side, the totals of earning
-- rules with the sales that they counted, less what was returned, and what is held and used with the calculations that spent it.
--   p_rows       entries, counted sales, and holds, read at most
--   passed_over  it has more than p_rows; nothing was compared
--   difference   text with both sides; null: no difference
create or replace function recount_account(p_account bigint, p_rows integer, out passed_over boolean, out difference text)
language sql volatile as $$
  select greatest(d.rows, c.rows, u.rows) > p_rows, case
    when greatest(d.rows, c.rows, u.rows) > p_rows then null
    when h.amount - a.debt <> d.amount then
      format('account %s of %s: lots %s, debt %s; by the entries %s', p_account, a.currency_id, h.amount, a.debt, d.amount)
    when d.lopsided > 0 then
      format('account %s of %s: %s transfers do not sum to zero', p_account, a.currency_id, d.lopsided)
    when c.given <> t.given or c.taken <> t.taken then
      format(
        'account %s of %s: rules gave %s and took back %s; by the sales %s and %s', p_account, a.currency_id, t.given, t.taken, c.given,
        c.taken
      )
    when c.total <> t.total then
      format('account %s of %s: rules counted %s; by the sales %s', p_account, a.currency_id, t.total, c.total)
    when h.held <> u.held then
      format('account %s of %s: lots hold %s; by the calculations %s', p_account, a.currency_id, h.held, u.held)
    when a.merged_into is null and d.used + u.used <> 0 then
      format('account %s of %s: sales used %s; by the calculations %s', p_account, a.currency_id, -d.used, u.used)
    when u.astray > 0 then
      format('account %s of %s: %s calculations hold or used what their sales do not say', p_account, a.currency_id, u.astray)
  end
  from account a, lateral (
    select coalesce(sum(l.amount), 0)::bigint as amount, coalesce(sum(l.held), 0)::bigint as held from lot l where l.account_id = p_account
  ) h, lateral (
    select count(*) as rows, coalesce(sum(e.amount) filter (where e.account_id = p_account), 0)::bigint as amount,
      coalesce(sum(e.amount) filter (where e.against = 'redeemed' and (
        select m.kind from movement m where m.movement_id = e.movement_id
      ) = 'used'), 0)::bigint as used,
      count(*) filter (where e.account_id = p_account and e.against = 'transferred' and (
        select sum(o.amount) from entry o where o.movement_id = e.movement_id and o.against = 'transferred'
      ) <> 0) as lopsided
    -- What accounts used that were merged into it is listed with them.
    from (
      select r.* from (
        select p_account as account_id union all select m.account_id from account m where m.merged_into = p_account
      ) o join entry r on r.account_id = o.account_id
      limit p_rows + 1
    ) e
  ) d, lateral (
    select coalesce(sum(r.given - r.completed), 0) as given, coalesce(sum(r.taken), 0) as taken, coalesce(sum(r.total), 0) as total
    from earned_total r where r.account_id = p_account
  ) t, lateral (
    select count(*) as rows, coalesce(sum(s.given), 0) as given, coalesce(sum(s.taken), 0) as taken,
      coalesce(sum((s.counted - s.returned)::numeric * s.factor), 0) as total
    from (select r.* from earned r where r.account_id = p_account limit p_rows + 1) s
  ) c, lateral (
    select count(*) as rows,
      coalesce(sum(o.parts) filter (where o.state = 'open'), 0)::bigint as held,
      coalesce(sum(o.amount) filter (where o.state in ('used', 'late')), 0)::bigint as used,
      count(*) filter (where o.state <> o.due or o.parts > o.amount or (o.state in ('open', 'used') and o.parts <> o.amount)) as astray
    from (
      select v.state, v.amount, due_hold_state(v, n, s) as due, coalesce((
        select sum(p.amount) from value_hold_part p where p.calculation_id = v.calculation_id and p.account_id = v.account_id
      ), 0) as parts
      from (select * from value_hold x where x.account_id = p_account and x.amount > 0 limit p_rows + 1) y
      join value_hold v on v.calculation_id = y.calculation_id and v.account_id = y.account_id
      left join calculation n on n.calculation_id = v.calculation_id
      left join sale s on s.calculation_id = v.calculation_id
    ) o
  ) u
  where a.account_id = p_account
$$;
