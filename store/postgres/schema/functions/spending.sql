-- The value left in accounts of a member, which the caller holds.
--   p_spends   JSON array of {currency_id, amount}, each currency once
--   p_freeing  calculation whose open holds count as left; null: none
-- Replies a JSON array of {currencyId, left} where an account has too little; null: all have enough.
create or replace function value_left(p_member text, p_spends json, p_freeing uuid) returns json
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  return (
    select case when bool_or(s.amount > s.left) then
      json_agg(json_build_object('currencyId', s.currency_id, 'left', s.left))
    end
    from (
      select w.currency_id, w.amount, coalesce(account_available(a.account_id), 0) + coalesce((
        select sum(p.amount)::bigint
        from value_hold h join value_hold_part p on p.calculation_id = h.calculation_id and p.account_id = h.account_id
        where h.calculation_id = p_freeing and h.account_id = a.account_id and h.state = 'open' and p.expires_at > v_now
      ), 0) as left
      from json_to_recordset(p_spends) as w (currency_id text, amount bigint)
      left join account a on a.member_id = p_member and a.currency_id = w.currency_id
    ) s
  );
end
$$;

-- Holds an amount, 1 to value_left, of an open account for a calculation, from the lot that expires first. Raises 40001 where some of it
-- expired since it was read. The caller holds the calculation and the account.
create or replace function hold_value(p_calculation uuid, p_account bigint, p_amount bigint) returns void
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_lot lot;
  v_left bigint := p_amount;
  v_taken bigint;
  v_place integer := 0;
begin
  insert into value_hold (calculation_id, account_id, amount, held_until)
  select p_calculation, p_account, p_amount, c.expires_at from calculation c where c.calculation_id = p_calculation;
  for v_lot in
    select l.* from lot l
    where l.account_id = p_account and l.opens_at <= v_now and l.amount > l.held
    order by l.expires_at, l.lot_id
  loop
    exit when v_left = 0;
    v_place := v_place + 1;
    v_taken := least(v_left, v_lot.amount - v_lot.held);
    update lot l set held = l.held + v_taken where l.lot_id = v_lot.lot_id;
    insert into value_hold_part (calculation_id, account_id, place, lot_id, amount, opens_at, expires_at)
    values (p_calculation, p_account, v_place, v_lot.lot_id, v_taken, v_lot.opens_at, v_lot.expires_at);
    v_left := v_left - v_taken;
  end loop;
  if v_left > 0 then
    raise exception 'account % has % too little for %', p_account, v_left, p_calculation using errcode = '40001';
  end if;
end
$$;

create or replace function living_holds(p_record json, p_holds json) returns json
language plpgsql as $$
declare
  v_member text := p_record ->> 'member_id';
  v_living text;
begin
  -- A venue may have the same id.
  if v_member = p_record ->> 'venue_id'
    or not exists (select from json_to_recordset(p_holds) as h (subject text) where h.subject = v_member) then
    return p_holds;
  end if;
  v_living := living_member(v_member);
  if v_living = v_member then
    return p_holds;
  end if;
  return (
    select json_agg(case when h.hold ->> 'subject' = v_member
      then h.hold::jsonb || jsonb_build_object('subject', v_living) else h.hold::jsonb end)
    from json_array_elements(p_holds) h (hold)
  );
end
$$;

-- Locks the accounts with holds of these calculations, open or ended, together with others of one member, created where they are missing.
-- The calculations are locked already, so their member cannot be forgotten meanwhile.
create or replace function lock_held_accounts(p_calculations uuid[], p_member text, p_currencies text[]) returns void
language plpgsql as $$
begin
  perform lock_accounts(array_agg(n.member_id), array_agg(n.currency_id))
  from (
    select a.member_id, a.currency_id
    from value_hold h join account a on a.account_id = h.account_id
    where h.calculation_id = any (p_calculations)
    union
    select p_member, c.currency_id from unnest(p_currencies) c (currency_id) where p_member is not null
  ) n
  having count(*) > 0;
end
$$;

create or replace function use_value(p_calculation uuid) returns void
language plpgsql as $$
declare
  v_hold value_hold;
  v_part value_hold_part;
  v_movement movement;
begin
  for v_hold in
    select h.* from value_hold h where h.calculation_id = p_calculation and h.state = 'open' order by h.account_id
  loop
    if v_movement.movement_id is null then
      v_movement := add_movement('used', 'spending:' || p_calculation, '', '');
    end if;
    for v_part in
      select p.* from value_hold_part p where p.calculation_id = p_calculation and p.account_id = v_hold.account_id
    loop
      delete from lot l where l.lot_id = v_part.lot_id and l.amount = v_part.amount;
      update lot l set amount = l.amount - v_part.amount, held = l.held - v_part.amount where l.lot_id = v_part.lot_id;
    end loop;
    perform add_entry(v_movement, v_hold.account_id, 'redeemed', -v_hold.amount);
    update value_hold h set state = 'used', held_until = null
    where h.calculation_id = p_calculation and h.account_id = v_hold.account_id;
  end loop;
end
$$;

-- Uses released holds of a calculation again: available value, from the lot that expires first; the rest becomes debt.
-- Replies whether there is any. The caller holds the accounts, and the calculation of the sale.
--   p_sale  the calculation whose sale uses it: another one if its basket carried these discounts
create or replace function use_value_late(p_calculation uuid, p_sale uuid) returns boolean
language plpgsql as $$
declare
  v_hold value_hold;
  v_movement movement;
  v_there bigint;
  v_overdrawn boolean := false;
begin
  for v_hold in
    select h.* from value_hold h where h.calculation_id = p_calculation and h.state = 'released' order by h.account_id
  loop
    if v_movement.movement_id is null then
      v_movement := add_movement('used', 'spending:' || p_calculation, '', '');
    end if;
    v_there := least(v_hold.amount, account_available(v_hold.account_id));
    insert into value_hold_part (calculation_id, account_id, place, lot_id, amount, opens_at, expires_at)
    select p_calculation, v_hold.account_id, t.ordinality, t.lot_id, t.amount, t.opens_at, t.expires_at
    from take_available(v_hold.account_id, v_movement.at, v_there) with ordinality t;
    if v_there < v_hold.amount then
      update account a set debt = a.debt + v_hold.amount - v_there where a.account_id = v_hold.account_id;
      v_overdrawn := true;
    end if;
    perform add_entry(v_movement, v_hold.account_id, 'redeemed', -v_hold.amount);
    update value_hold h set state = 'late', used_by = nullif(p_sale, p_calculation)
    where h.calculation_id = p_calculation and h.account_id = v_hold.account_id;
  end loop;
  return v_overdrawn;
end
$$;

-- Uses the holds of a calculation, open or released, for the sale of another one that was charged with its discounts. Replies whether some of it
-- became debt.
--   p_calculation  null: nothing is done
create or replace function use_carried(p_calculation uuid, p_sale uuid) returns boolean
language plpgsql as $$
begin
  if p_calculation is null then
    return false;
  end if;
  perform release_value(array[p_calculation], null);
  return use_value_late(p_calculation, p_sale);
end
$$;

-- The calculation whose discounts a basket carries as sent (4-member-value 9): the one it supersedes, else the
-- member's newest with these discounts, of the day before it; on a tie the smaller id. Null: it carries none, or theirs is not stored.
create or replace function carried_from(p_calculation calculation) returns uuid
language sql stable as $$
  select o.calculation_id
  from calculation o
  where p_calculation.carried > 0 and o.member_id = p_calculation.member_id
    and o.answered_at between p_calculation.answered_at - interval '1 day' and p_calculation.answered_at
    and o.calculation_id <> p_calculation.calculation_id
    and (o.calculation_id = p_calculation.supersedes_calculation_id or o.loyalty_discount_total = p_calculation.carried)
  order by (o.calculation_id = p_calculation.supersedes_calculation_id) is true desc, o.answered_at desc, o.calculation_id
  limit 1
$$;

-- Releases the holds of these calculations in accounts, which the caller holds. A part in an expired lot expires at once.
--   p_accounts  only of these; null: of all
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
    returning l.account_id, l.expires_at
  )
  select array_agg(distinct account_id) into v_accounts from freed where expires_at <= clock_timestamp();
  if v_accounts is not null then
    perform expire_lots(v_accounts);
  end if;
end
$$;

-- The part of a lot held by calculations that have expired at p_at: it is free, even before that is written.
create or replace function ended_holds(p_lot lot, p_at timestamptz) returns bigint
language sql stable as $$
  select case when p_lot.held = 0 then 0 else coalesce((
    select sum(p.amount)
    from value_hold h join value_hold_part p on p.calculation_id = h.calculation_id and p.account_id = h.account_id
    where h.account_id = p_lot.account_id and h.held_until <= p_at and p.lot_id = p_lot.lot_id
  ), 0) end::bigint
$$;
