-- Leases the next sales whose ladder is to be stored, the oldest first, unless another gateway works on them.
--   p_age    of the youngest: a sale may be joined, or become visible, some time after its recorded_at
--   p_lease  within which the caller moves on (swept_ladders)
-- Replies one row per charged sale without a ladder among the next p_max sales, with the last one of all of them.
create or replace function sweep_ladders(p_age interval, p_lease interval, p_max integer, out ids uuid[], out last json)
language plpgsql as $$
declare
  v_sweep ladder_sweep;
begin
  ids := '{}';
  select w.* into v_sweep from ladder_sweep w where w.leased_until < clock_timestamp() for update skip locked;
  if not found then
    return;
  end if;
  with next as (
    select s.* from sale s
    where (s.recorded_at, s.calculation_id) > (v_sweep.recorded_at, v_sweep.calculation_id)
      and s.recorded_at < clock_timestamp() - p_age
    order by s.recorded_at, s.calculation_id
    limit p_max
  )
  select coalesce((
      select array_agg(n.calculation_id order by n.recorded_at, n.calculation_id) from next n
      where n.status <> 'cancelled' and not exists (select from sale_ladder l where l.calculation_id = n.calculation_id)
    ), '{}'), (
      select json_build_object('recordedAtUs', microseconds(n.recorded_at), 'calculationId', n.calculation_id)
      from next n order by n.recorded_at desc, n.calculation_id desc limit 1
    )
  into ids, last;
  update ladder_sweep w set leased_until = clock_timestamp() + p_lease where last is not null;
end
$$;
