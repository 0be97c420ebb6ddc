-- The sums of an account at a time. An expired lot does not count, whether it is written or not, except for what calculations that have
-- not expired hold of it.
create or replace function account_sums(
  p_account bigint, p_at timestamptz, out available bigint, out pending bigint, out held bigint
)
language sql stable as $$
  select
    coalesce(sum(l.amount - l.held) filter (where l.opens_at <= p_at and l.expires_at > p_at), 0)::bigint,
    coalesce(sum(l.amount - l.held) filter (where l.opens_at > p_at), 0)::bigint,
    coalesce(sum(l.held), 0)::bigint
  from (
    select o.amount, o.opens_at, o.expires_at, o.held - ended_holds(o, p_at) as held from lot o where o.account_id = p_account
  ) l
$$;
