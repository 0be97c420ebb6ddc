-- Until when an account keeps a tier if nothing more is earned: the first moment (UTC) after the day that lies keep_months after the
-- last day on which it qualified, or will have. Each sale counts for window_months from when it was recorded.
--   p_now  what ended before it may be left out
-- Replies null where it has not qualified for so long that it cannot matter.
create or replace function tier_until(p_account bigint, p_tier value_tier, p_now timestamptz) returns timestamptz
language sql stable as $$
  with counted as (
    select e.recorded_at at time zone 'UTC' as at, e.given - e.taken as amount
    from earned e
    where e.account_id = p_account and e.given <> e.taken
      -- A few days more, because months differ in length.
      and e.recorded_at > p_now - make_interval(months => p_tier.window_months + p_tier.keep_months, days => 5)
  ), changes as (
    select x.at, x.amount
    from counted c
    cross join lateral (values (c.at, c.amount), (c.at + make_interval(months => p_tier.window_months), -c.amount)) as x (at, amount)
    -- Most tiers are out of reach of most members: then nothing is sorted.
    where (select sum(greatest(p.amount, 0)) from counted p) >= p_tier.amount
  ), sums as (
    -- Of changes at one moment each row has the sum after all of them.
    select c.at, sum(c.amount) over (order by c.at) as amount from changes c
  ), missed as (
    select min(s.at) as at from sums s
    where s.at > (select max(q.at) from sums q where q.amount >= p_tier.amount)
  )
  select (
    date_trunc('day', m.at - interval '1 microsecond') + make_interval(months => p_tier.keep_months) + interval '1 day'
  ) at time zone 'UTC'
  from missed m
$$;
