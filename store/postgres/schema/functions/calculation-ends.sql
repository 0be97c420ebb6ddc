-- Withdraws a confirmed calculation whose answer was never sent. A calculation that it superseded stays superseded.
-- Replies
--   withdrawn  deleted, its reservations and holds released
--   replayed   nothing written: its answer was given to another call, or it is no longer open
--   unknown    not stored, and the call that was storing it has given up
create or replace function withdraw_calculation(p_calculation uuid) returns text
language plpgsql as $$
declare
  v_calculation calculation;
begin
  loop
    select c.* into v_calculation from calculation c where c.calculation_id = p_calculation for update;
    exit when found;
    if claim_absence(p_calculation) then
      return 'unknown';
    end if;
  end loop;
  if v_calculation.replayed or v_calculation.state <> 'open' or not v_calculation.confirmed then
    return 'replayed';
  end if;
  perform lock_counters(array[p_calculation]);
  perform lock_held_accounts(array[p_calculation], null, '{}');
  perform release_reservations(array[p_calculation]);
  perform release_value(array[p_calculation], null);
  perform forget_calculation(p_calculation);
  return 'withdrawn';
end
$$;

create or replace function supersede_calculations(p_stored uuid[]) returns void
language plpgsql as $$
declare
  v_locked uuid[];
  v_superseded uuid[];
begin
  -- Few calculations supersede one; without this look the rest took a tenth of the time of a batch.
  if not exists (
    select from calculation n where n.calculation_id = any (p_stored) and n.supersedes_calculation_id is not null
  ) and not exists (select from calculation n where n.supersedes_calculation_id = any (p_stored)) then
    return;
  end if;

  v_locked := lock_calculations(array_remove(array(
    select n.supersedes_calculation_id from calculation n where n.calculation_id = any (p_stored)
  ), null));

  select coalesce(array_agg(distinct p.old) filter (where p.superseded), '{}') into v_superseded
  from (
    select o.calculation_id as old,
      o.state = 'open' and o.venue_id = n.venue_id and n.answered_at < o.expires_at as superseded
    from calculation n join calculation o on o.calculation_id = n.supersedes_calculation_id
    where n.calculation_id = any (p_stored) and o.calculation_id = any (v_locked)
    union all
    select o.calculation_id,
      o.state = 'open' and o.venue_id = n.venue_id and n.answered_at < o.expires_at
    from calculation o join calculation n on n.supersedes_calculation_id = o.calculation_id
    where o.calculation_id = any (p_stored)
  ) p;
  if v_superseded = '{}' then
    return;
  end if;

  perform lock_counters(v_superseded);
  perform lock_held_accounts(v_superseded, null, '{}');
  perform release_reservations(v_superseded);
  perform release_value(v_superseded, null);
  update calculation c set state = 'superseded' where c.calculation_id = any (v_superseded);
end
$$;

create or replace function expire_calculations(p_max integer) returns integer
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_expired uuid[];
begin
  select coalesce(array_agg(e.calculation_id), '{}') into v_expired from (
    select c.calculation_id from calculation c
    where c.state = 'open' and c.expires_at <= v_now
    order by c.expires_at
    limit p_max
    for update skip locked
  ) e;
  perform lock_counters(v_expired);
  perform lock_held_accounts(v_expired, null, '{}');
  perform release_reservations(v_expired);
  perform release_value(v_expired, null);
  update calculation c set state = 'expired' where c.calculation_id = any (v_expired);
  return cardinality(v_expired);
end
$$;

-- Ends an open calculation as if its time had passed, and releases its reservations and holds. A dry run only lists them.
-- Replies
--   {"kind":"done","reservations":[{limitId, subject, period, units}],"value":[{currencyId, amount}]}
--   {"kind":"unknown_calculation"}, {"kind":"calculation_not_open","state"}
create or replace function change_release(
  p_by change_context, p_calculation uuid, p_reason text, p_dry_run boolean
) returns json
language plpgsql as $$
declare
  v_calculation calculation;
  v_reservations json;
  -- The stored reply names no subject, which may be a member.
  v_nameless json;
  v_value json;
begin
  select c.* into v_calculation from calculation c where c.calculation_id = p_calculation for update;
  perform refuse('{"kind":"unknown_calculation"}') where not found;
  perform refuse(json_build_object('kind', 'calculation_not_open', 'state', calculation_state_now(v_calculation)))
  where calculation_state_now(v_calculation) <> 'open';
  perform lock_counters(array[p_calculation]);
  perform lock_held_accounts(array[p_calculation], null, '{}');
  select coalesce(json_agg(json_build_object(
      'limitId', k.limit_id, 'subject', k.subject, 'period', k.period, 'units', r.units
    ) order by k.limit_id, k.subject, k.period), '[]'),
    coalesce(json_agg(json_build_object(
      'limitId', k.limit_id, 'subject', '', 'period', k.period, 'units', r.units
    ) order by k.limit_id, k.subject, k.period), '[]')
  into v_reservations, v_nameless
  from reservation r join limit_counter k on k.counter_id = r.counter_id
  where r.calculation_id = p_calculation and r.state = 'open';
  select coalesce(json_agg(json_build_object('currencyId', a.currency_id, 'amount', h.amount) order by a.currency_id), '[]')
  into v_value
  from value_hold h join account a on a.account_id = h.account_id
  where h.calculation_id = p_calculation and h.state = 'open';
  perform refuse(json_build_object('kind', 'done', 'reservations', v_reservations, 'value', v_value)) where p_dry_run;
  perform release_reservations(array[p_calculation]);
  perform release_value(array[p_calculation], null);
  update calculation c set state = 'expired', expires_at = clock_timestamp() where c.calculation_id = p_calculation;
  perform add_audit(
    p_by, 'calculation', p_calculation::text,
    json_build_object('state', 'open', 'reservations', v_nameless, 'value', v_value)::text,
    json_build_object('state', 'expired', 'reason', p_reason)::text
  );
  perform store_reply(p_by, json_build_object('kind', 'done', 'reservations', v_nameless, 'value', v_value));
  return json_build_object('kind', 'done', 'reservations', v_reservations, 'value', v_value);
end
$$;

-- Settles a calculation, locked by the caller, by its sale: changes its state, and uses or releases its reservations and holds.
--   p_at   when the sale came; null: now
--   p_plan  as of earn: the accounts that the sale credits afterwards are locked with those of its holds
--   late   late_event or superseded if it came too late, then limit_exceeded; value_overdrawn
--   freed  counters that got units back
create or replace function settle_calculation(
  p_calculation calculation, p_status sale_status, p_at timestamptz, p_plan json, out late text[], out freed bigint[]
)
language plpgsql as $$
declare
  v_id uuid := p_calculation.calculation_id;
  -- An unchanged calculation holds something only if the basket already contained its discounts; its sale uses them.
  v_given boolean := p_status = 'applied' or (p_status = 'unchanged' and p_calculation.status = 'unchanged');
  -- The calculation whose discounts were given, if the basket was charged as sent.
  v_carried uuid := case when not v_given and p_status in ('failed', 'unchanged') then carried_from(p_calculation) end;
begin
  late := '{}';
  freed := '{}';
  perform lock_counters(array[v_id]);
  if exists (select from value_hold h where h.calculation_id in (v_id, v_carried)) then
    perform lock_held_accounts(array[v_id, v_carried], p_calculation.member_id, planned_currencies(p_plan));
  end if;
  -- Checked under the locks: before that, another call may find it expired and take its units.
  if p_calculation.state = 'open'
    and coalesce(p_at, clock_timestamp()) < p_calculation.expires_at
    and not exists (select from reservation r where r.calculation_id = v_id and r.state = 'released')
    and not exists (select from value_hold h where h.calculation_id = v_id and h.state = 'released')
  then
    if v_given then
      perform use_reservations(v_id);
      perform use_value(v_id);
    else
      freed := release_reservations(array[v_id]);
      perform release_value(array[v_id], null);
    end if;
    update calculation c
    set state = case when p_status = 'cancelled' then 'abandoned' else 'finalised' end::calculation_state
    where c.calculation_id = v_id;
    if use_carried(v_carried, v_id) then
      late := array['value_overdrawn'];
    end if;
    return;
  end if;
  if p_calculation.state = 'open' then
    update calculation c set state = 'expired' where c.calculation_id = v_id;
  end if;
  freed := release_reservations(array[v_id]);
  perform release_value(array[v_id], null);
  late := array[case when p_calculation.state = 'superseded' then 'superseded' else 'late_event' end];
  if v_given and use_late(v_id) then
    late := late || 'limit_exceeded'::text;
  end if;
  if (v_given and use_value_late(v_id, v_id)) or use_carried(v_carried, v_id) then
    late := late || 'value_overdrawn'::text;
  end if;
end
$$;
