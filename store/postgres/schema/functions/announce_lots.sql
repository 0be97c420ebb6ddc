-- Adds the events of an account's lots that have opened, or expire within 7 days: each once for a lot. One that lives less than 7 days
-- is announced at once.
-- Locks: the caller holds the account.
create or replace function announce_lots(p_account bigint) returns void
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_soon timestamptz := v_now + interval '7 days';
  v_lot lot;
begin
  for v_lot in
    select l.* from lot l
    where l.account_id = p_account
      and ((l.awaits_opening and l.opens_at <= v_now) or (not l.expiry_announced and l.expires_at <= v_soon))
    order by l.lot_id
  loop
    update lot l set awaits_opening = l.awaits_opening and l.opens_at > v_now, expiry_announced = l.expires_at <= v_soon
    where l.lot_id = v_lot.lot_id;
    if v_lot.awaits_opening and v_lot.opens_at <= v_now then
      perform add_value_event('value.opened', p_account, jsonb_build_object('amount', v_lot.amount, 'lotId', v_lot.lot_id));
    end if;
    if not v_lot.expiry_announced and v_lot.expires_at > v_now and v_lot.expires_at <= v_soon then
      perform add_value_event('value.expiring', p_account, jsonb_build_object(
        'amount', v_lot.amount, 'lotId', v_lot.lot_id, 'expiresAt', to_char(v_lot.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      ));
    end if;
  end loop;
end
$$;
