-- Claims the key of a calculation that is not stored. A call that stores it later waits for this transaction and then sees
-- what this one wrote. A call that is storing it now is waited for.
-- Replies true: it is absent and the key is claimed; false: it is there.
create or replace function claim_absence(p_calculation uuid) returns boolean
language plpgsql as $$
begin
  insert into calculation (
    calculation_id, net_before, net_after, loyalty_discount_total, answered_at, expires_at, programme_version, body_day,
    status, optimal, confirmed, venue_id, bax_id, channel, currency, requested_at
  )
  values (p_calculation, 0, 0, 0, 'epoch', 'epoch', 0, 'epoch', 'unchanged', true, false, '', '', '', '', '')
  on conflict do nothing;
  if not found then
    return false;
  end if;
  delete from calculation c where c.calculation_id = p_calculation;
  return true;
end
$$;
