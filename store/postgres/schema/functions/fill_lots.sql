-- Puts credits into lots. An open lot of the same expiry is added to, unless an activation gave it; a pending amount gets a lot of its own.
--   p_now          of the movement
--   p_credits      an account stands here once; of an amount of 0 nothing is done
--   p_calculation  the sale that gives them; null: none
-- Locks: the caller holds the accounts and has added the entries.
create or replace function fill_lots(p_now timestamptz, p_credits value_credit[], p_calculation uuid default null) returns void
language plpgsql as $$
begin
  with filled as (
    update lot l set amount = l.amount + n.amount
    from unnest(p_credits) n
    where n.amount > 0 and n.opens_at <= p_now and l.lot_id = (
      select o.lot_id from lot o
      where o.account_id = n.account_id and o.expires_at = n.expires_at and o.opens_at <= p_now and o.activation_id is null
      order by o.lot_id limit 1
    )
    returning l.account_id
  )
  insert into lot (account_id, amount, opens_at, expires_at, calculation_id, awaits_opening)
  select n.account_id, n.amount, n.opens_at, n.expires_at, p_calculation, n.opens_at > p_now
  from unnest(p_credits) n
  where n.amount > 0 and not exists (select from filled f where f.account_id = n.account_id);
end
$$;
