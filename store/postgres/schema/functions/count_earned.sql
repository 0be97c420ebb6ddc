-- Counts a sale for its rules: keeps what each counted, and says what the sale gives (earning_due).
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
  with shared as (
    select d.* from earning_due(p_rules, p_accounts, p_at, p_day) d
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
