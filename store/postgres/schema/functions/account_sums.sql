-- The sums of an account at a time. An expired lot does not count, whether it is written or not, except for what is held of it.
create or replace function account_sums(
  p_account bigint, p_at timestamptz, out available bigint, out pending bigint, out held bigint
)
language sql stable as $$
  select
    coalesce(sum(l.amount - l.held) filter (where l.opens_at <= p_at and l.expires_at > p_at), 0)::bigint,
    coalesce(sum(l.amount - l.held) filter (where l.opens_at > p_at), 0)::bigint,
    coalesce(sum(l.held), 0)::bigint
  from lot l where l.account_id = p_account
$$;
