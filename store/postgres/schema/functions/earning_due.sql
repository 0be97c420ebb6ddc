-- What each rule gives for a sale, as the accounts are now. A total T becomes T + b, and the sale gives
-- give x (floor((T + b) / n) - floor(T / n)), at most what the rule's maximum and the account leave; a visit gives once. A rule that
-- counted a sale within its cooldown does not count this one. Of the last room of an account, a rule gets what earlier ones leave.
--   arguments  as of count_earned
-- Replies a row for each rule that counts the sale: what it gives without the bound of the account, and with it.
create or replace function earning_due(p_rules earning_rule[], p_accounts account[], p_at timestamptz, p_day date)
returns table (
  account_id bigint, debt bigint, place bigint, rule_id text, counted bigint, factor integer, opens_after interval, expires json,
  is_limited boolean, amount numeric, given bigint
)
language sql stable as $$
  select w.account_id, w.debt, w.place, w.rule_id, w.counted, w.factor, w.opens_after, w.expires, w.is_limited, w.amount,
    greatest(0, least(w.amount, w.room + w.amount - sum(w.amount) over (partition by w.account_id order by w.place)))::bigint
  from (
    select a.account_id, a.room, a.debt, r.place, r.rule_id, r.counted, r.factor, r.opens_after, r.expires,
      r.period is not null or r.cooldown is not null as is_limited,
      least(
        case r.per
          when 'visit' then div(r.give::numeric * r.counted * r.factor, 10000)
          else r.give * (
            div(coalesce(t.total, 0) + r.counted::numeric * r.factor, r.every::numeric * 10000)
            - div(coalesce(t.total, 0), r.every::numeric * 10000)
          )
        end,
        case when r.period is not null then greatest(0, r.most - given_within(a.account_id, r.rule_id, r.period, p_day)) end
      ) as amount
    from (
      select n.account_id, n.currency_id, n.debt,
        9007199254740991 + n.debt - coalesce((select sum(l.amount) from lot l where l.account_id = n.account_id), 0) as room
      from unnest(p_accounts) n offset 0
    ) a
    join unnest(p_rules) r on r.currency_id = a.currency_id
    left join earned_total t on t.account_id = a.account_id and t.rule_id = r.rule_id
    where case when r.cooldown is null then true else not exists (
      select from earned e
      where e.account_id = a.account_id and e.rule_id = r.rule_id and e.at > p_at - r.cooldown and e.at < p_at + r.cooldown
    ) end
  ) w
$$;
