-- Counts a sale for its rules: keeps what each counted, and says what the sale gives. A total T becomes T + b, and the sale gives
-- give x (floor((T + b) / n) - floor(T / n)), at most what the rule's maximum and the account leave; a visit gives once. A rule that
-- counted a sale within its cooldown does not count this one. Of the last room of an account, a rule gets what earlier ones leave.
--   p_rules     as of earning_rules
--   p_accounts  of the member; a rule without account counts nothing
--   p_at        requestedAt; p_day: its local date
--   p_zone      of the sale's venue
-- Replies
--   credits  of the accounts that get something, in order. The rules of a currency have the same opening and expiry. null: none
--   is_full  an account had less room
--   owes     an account has debt
-- Locks: the caller holds the accounts.
create or replace function count_earned(
  p_sale sale, p_rules earning_rule[], p_accounts account[], p_at timestamptz, p_day date, p_zone text,
  out credits value_credit[], out is_full boolean, out owes boolean
)
language plpgsql as $$
begin
  with wanted as (
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
  ), shared as (
    select w.*,
      greatest(0, least(w.amount, w.room + w.amount - sum(w.amount) over (partition by w.account_id order by w.place)))::bigint as given
    from wanted w
  ), counted as (
    insert into earned (calculation_id, rule_id, account_id, at, day, counted, factor, given, is_limited)
    select p_sale.calculation_id, s.rule_id, s.account_id, p_at, p_day, s.counted, s.factor, s.given, s.is_limited
    from shared s
  ), added as (
    insert into earned_total as t (account_id, rule_id, total, given)
    select s.account_id, s.rule_id, s.counted::numeric * s.factor, s.given from shared s
    on conflict (account_id, rule_id) do update set total = t.total + excluded.total, given = t.given + excluded.given
  )
  select
    array_agg(row (
      g.account_id, g.given, p_sale.recorded_at + g.opens_after, lot_expiry(p_sale.recorded_at, p_zone, g.expires::json)
    )::value_credit) filter (where g.given > 0),
    bool_or(g.is_full), bool_or(g.owes)
  into credits, is_full, owes
  from (
    select s.account_id, sum(s.given)::bigint as given, min(s.opens_after) as opens_after, min(s.expires::text) as expires,
      bool_or(s.given < s.amount) as is_full, bool_or(s.debt > 0) as owes
    from shared s
    group by s.account_id
    order by s.account_id
  ) g;
end
$$;
