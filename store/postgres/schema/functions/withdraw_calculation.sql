-- Withdraws a confirmed calculation whose answer was never sent. What it superseded stays superseded.
-- Replies
--   withdrawn  deleted, its reservations and holds released
--   replayed   nothing written: its answer was given to another call, or it is no longer open
--   unknown    not stored, and the call that was storing it has given up
-- Locks: calculation, counters, accounts.
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
