-- The place, from 0, of the first credit that would pass the room of its account, earlier credits counted; null: all fit.
--   p_amounts  of each account in the same order; an account may stand more than once
-- Locks: the caller holds the accounts.
create or replace function first_beyond_room(p_accounts bigint[], p_amounts bigint[]) returns integer
language sql volatile as $$
  select min(t.place)::integer - 1
  from (
    select n.account_id, n.place, sum(n.amount) over (partition by n.account_id order by n.place) as total
    from unnest(p_accounts, p_amounts) with ordinality n (account_id, amount, place)
  ) t
  where t.total > account_room(t.account_id, false)
$$;
