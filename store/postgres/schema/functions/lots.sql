-- Puts credits into lots. An open lot of the same expiry is added to, unless an activation gave it; a pending amount gets its own.
--   p_now          of the movement
--   p_credits      each account once; an amount of 0 does nothing
--   p_calculation  the sale that gives them; null: none
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

create or replace function take_lots(p_account bigint, p_amount bigint) returns void
language plpgsql as $$
declare
  v_lot lot;
  v_left bigint := p_amount;
  v_taken bigint;
begin
  for v_lot in
    select l.* from lot l where l.account_id = p_account and l.amount > l.held
    order by l.opens_at > clock_timestamp(), l.expires_at, l.lot_id
  loop
    exit when v_left = 0;
    v_taken := least(v_left, v_lot.amount - v_lot.held);
    delete from lot l where l.lot_id = v_lot.lot_id and l.amount = v_taken;
    update lot l set amount = l.amount - v_taken where l.lot_id = v_lot.lot_id;
    v_left := v_left - v_taken;
  end loop;
end
$$;

create or replace function take_available(p_account bigint, p_at timestamptz, p_amount bigint) returns setof lot
language plpgsql as $$
declare
  v_lot lot;
  v_left bigint := p_amount;
  v_taken bigint;
begin
  for v_lot in
    select l.* from lot l
    where l.account_id = p_account and l.opens_at <= p_at and l.amount > l.held
    order by l.expires_at, l.lot_id
  loop
    exit when v_left = 0;
    v_taken := least(v_left, v_lot.amount - v_lot.held);
    delete from lot l where l.lot_id = v_lot.lot_id and l.amount = v_taken;
    update lot l set amount = l.amount - v_taken where l.lot_id = v_lot.lot_id;
    v_left := v_left - v_taken;
    v_lot.amount := v_taken;
    v_lot.held := 0;
    return next v_lot;
  end loop;
  if v_left > 0 then
    raise exception 'account % has % too little', p_account, v_left;
  end if;
end
$$;

-- The expiry of a lot that a sale earns at p_at, by the calendar of the sale's venue; infinity for never.
--   p_zone     IANA name; null, or an unknown one, counts as UTC, so that no sale fails because of it
--   p_expires  {unit: months or days, after, atEndOf: null, day, week, month or year}; null: never
-- 31 January and a month is the last day of February; `atEndOf` is the first moment after.
create or replace function lot_expiry(p_at timestamptz, p_zone text, p_expires json) returns timestamptz
language plpgsql stable as $$
declare
  v_end timestamp;
  v_next timestamptz;
begin
  if p_expires is null then
    return 'infinity';
  end if;
  p_zone := coalesce(p_zone, 'UTC');
  v_end := (p_at at time zone p_zone) + (p_expires ->> 'after')::integer
    * case p_expires ->> 'unit' when 'months' then interval '1 month' else interval '1 day' end;
  if p_expires ->> 'atEndOf' is null then
    return v_end at time zone p_zone;
  end if;
  v_end := date_trunc(p_expires ->> 'atEndOf', v_end) + ('1 ' || (p_expires ->> 'atEndOf'))::interval;
  -- Where clocks go back over midnight, it comes twice, and this is the second.
  v_next := v_end at time zone p_zone;
  return case when (v_next - interval '1 hour') at time zone p_zone >= v_end then v_next - interval '1 hour' else v_next end;
exception when invalid_parameter_value then
  return lot_expiry(p_at, 'UTC', p_expires);
end
$$;

-- Writes the movements of these accounts' expired lots, with their events, and announces others. The caller holds the accounts. A held
-- part stays, because it may still be used, in a lot of its own: the movement of an expiry has the id of its lot.
create or replace function expire_lots(p_accounts bigint[]) returns void
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  perform announce_lots(p_accounts);
  with expired as (
    select l.*, case when l.held > 0 then nextval('value_id') end as rest_id
    from lot l
    where l.account_id = any (p_accounts) and l.expires_at <= v_now and l.amount > l.held
  ), moved as (
    insert into movement (movement_id, kind, at, cause)
    select e.lot_id, 'expired', e.expires_at, 'lot:' || e.lot_id from expired e
  ), entered as (
    insert into entry (movement_id, account_id, amount, at, against)
    select e.lot_id, e.account_id, e.held - e.amount, e.expires_at, 'expired' from expired e
  ), announced as (
    insert into event (type, member_id, body)
    select 'value.expired', a.member_id, value_event_body(a, jsonb_build_object(
      'amount', e.held - e.amount, 'movementId', e.lot_id, 'cause', 'lot:' || e.lot_id
    ))
    from expired e join account a on a.account_id = e.account_id
    order by e.expires_at, e.lot_id
  ), rest as (
    insert into lot (lot_id, account_id, amount, held, opens_at, expires_at, activation_id)
    select e.rest_id, e.account_id, e.held, e.held, e.opens_at, e.expires_at, e.activation_id
    from expired e
    where e.rest_id is not null
  ), parts as (
    update value_hold_part p set lot_id = e.rest_id
    from expired e join value_hold h on h.account_id = e.account_id and h.held_until is not null
    where e.rest_id is not null
      and p.calculation_id = h.calculation_id and p.account_id = h.account_id and p.lot_id = e.lot_id
  )
  delete from lot l using expired e where l.lot_id = e.lot_id;
end
$$;

-- Writes expiries, at most p_max lots, the longest expired first. Reads show them before: this only keeps the table `lot` small.
-- Replies how many accounts had expired lots.
create or replace function expire_value(p_max integer) returns integer
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_accounts bigint[] := lock_idle_accounts(array(
    select l.account_id from lot l
    where l.expires_at <= v_now and l.expires_at < 'infinity' and l.amount > l.held
    order by l.expires_at
    limit p_max
  ));
begin
  perform expire_lots(v_accounts);
  return cardinality(v_accounts);
end
$$;

-- Locks the accounts among these that no other call holds.
create or replace function lock_idle_accounts(p_accounts bigint[]) returns bigint[]
language sql as $$
  select array(
    select a.account_id from account a where a.account_id = any (p_accounts)
    order by a.member_id, a.currency_id
    for update skip locked
  )
$$;

-- Announces lots that have opened or expire soon, at most p_max of each kind, the most urgent first. Replies how many accounts it went
-- through.
create or replace function announce_value(p_max integer) returns integer
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_accounts bigint[] := lock_idle_accounts(array(
    select l.account_id from lot l where l.awaits_opening and l.opens_at <= v_now order by l.opens_at limit p_max
  ) || array(
    select l.account_id from lot l
    where not l.expiry_announced and l.expires_at < 'infinity' and l.expires_at <= v_now + interval '7 days'
    order by l.expires_at limit p_max
  ));
begin
  perform announce_lots(v_accounts);
  return cardinality(v_accounts);
end
$$;

-- Adds the events of these accounts' lots that have opened, or expire within 7 days: each once for a lot. One that lives less than 7
-- days is announced at once. The caller holds the accounts.
create or replace function announce_lots(p_accounts bigint[]) returns void
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_soon timestamptz := v_now + interval '7 days';
begin
  with due as (
    select l.* from lot l
    where l.account_id = any (p_accounts)
      and ((l.awaits_opening and l.opens_at <= v_now) or (not l.expiry_announced and l.expires_at <= v_soon))
  ), announced as (
    update lot l set awaits_opening = d.awaits_opening and d.opens_at > v_now, expiry_announced = d.expires_at <= v_soon
    from due d where l.lot_id = d.lot_id
  )
  insert into event (type, member_id, body)
  select n.type, a.member_id, value_event_body(a, jsonb_build_object('amount', d.amount, 'lotId', d.lot_id) || n.more)
  from due d
  join account a on a.account_id = d.account_id
  cross join lateral (values
    (1, 'value.opened', d.awaits_opening and d.opens_at <= v_now, jsonb '{}'),
    (2, 'value.expiring', not d.expiry_announced and d.expires_at > v_now and d.expires_at <= v_soon,
      jsonb_build_object('expiresAt', iso_time(d.expires_at)))
  ) n (place, type, is_due, more)
  where n.is_due
  order by d.lot_id, n.place;
end
$$;

create or replace function value_event_body(p_account account, p_body jsonb) returns text
language sql stable as $$
  select (jsonb_build_object('currencyId', p_account.currency_id) || p_body)::text
$$;
