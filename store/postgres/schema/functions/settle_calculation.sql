-- Settles a calculation by its sale: changes its state and uses or releases its reservations and holds.
--   p_at   when the sale came; null: now
--   late   late_event or superseded where it came too late, then limit_exceeded; value_overdrawn
--   freed  counters that got units back
-- Locks: the caller holds that of the calculation; counters, then the accounts of holds and of what it earns are locked here.
create or replace function settle_calculation(
  p_calculation calculation, p_status sale_status, p_at timestamptz, out late text[], out freed bigint[]
)
language plpgsql as $$
declare
  v_id uuid := p_calculation.calculation_id;
  -- An unchanged calculation holds something only if the basket already contained its discounts; its sale uses them.
  v_given boolean := p_status = 'applied' or (p_status = 'unchanged' and p_calculation.status = 'unchanged');
  -- Whose discounts were given where the basket was charged as sent.
  v_carried uuid := case when not v_given and p_status in ('failed', 'unchanged') then carried_from(p_calculation) end;
begin
  late := '{}';
  freed := '{}';
  perform lock_counters(array[v_id]);
  if exists (select from value_hold h where h.calculation_id in (v_id, v_carried)) then
    -- With those that `earn` locks, so that all are locked in one order.
    perform lock_held_accounts(array[v_id, v_carried], p_calculation.member_id, array(
      select r.currency_id from earning_rules(p_calculation.earning::jsonb, p_status = 'applied') r
    ));
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
