-- What of a lot is marked as held by calculations that have expired by now: it is free, whether that is written or not.
create or replace function ended_holds(p_lot lot, p_at timestamptz) returns bigint
language sql stable as $$
  select case when p_lot.held = 0 then 0 else coalesce((
    select sum(p.amount)
    from value_hold h join value_hold_part p on p.calculation_id = h.calculation_id and p.account_id = h.account_id
    where h.account_id = p_lot.account_id and h.held_until <= p_at and p.lot_id = p_lot.lot_id
  ), 0) end::bigint
$$;
