-- Marks expired calculations and releases their reservations and holds, the oldest first.
--   p_max  calculations at most; rows that another call has locked wait for the next run
-- Replies how many were marked. Locks: calculations, counters, accounts.
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
