-- Releases what these calculations hold of accounts. What of it has expired meanwhile expires at once.
--   p_accounts  only of these; null: of all
-- Locks: the caller holds the accounts, and the calculations unless they have expired.
create or replace function release_value(p_calculations uuid[], p_accounts bigint[]) returns void
language plpgsql as $$
declare
  v_accounts bigint[];
begin
  with released as (
    update value_hold h set state = 'released', held_until = null
    where h.calculation_id = any (p_calculations) and h.state = 'open' and (p_accounts is null or h.account_id = any (p_accounts))
    returning h.calculation_id, h.account_id
  ), parts as (
    delete from value_hold_part p using released r
    where p.calculation_id = r.calculation_id and p.account_id = r.account_id
    returning p.account_id, p.lot_id, p.amount
  ), freed as (
    update lot l set held = l.held - s.amount
    from (select lot_id, sum(amount)::bigint as amount from parts group by lot_id) s
    where l.lot_id = s.lot_id
    returning l.account_id
  )
  select array_agg(distinct account_id) into v_accounts from freed;
  perform expire_lots(a.account_id) from unnest(v_accounts) a (account_id);
end
$$;
