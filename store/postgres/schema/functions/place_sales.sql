-- Gives places in the feed to sales without one, the oldest first. Only one transaction at a time does so, each after the commit of
-- the one before: so places become visible in their order.
--   p_max  sales at most; rows that another call has locked wait for the next run
-- Replies how many got a place.
create or replace function place_sales(p_max integer) returns integer
language plpgsql as $$
declare
  v_last bigint;
  v_placed integer;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('loyalty sale feed', 0)) then
    return 0;
  end if;
  -- A separate statement: its snapshot must contain the commit of the last lock holder.
  select coalesce((select s.feed_place from sale s where s.feed_place is not null order by s.feed_place desc limit 1), 0)
  into v_last;
  with next as (
    select s.calculation_id, s.recorded_at from sale s
    where s.feed_place is null
    order by s.recorded_at, s.calculation_id
    limit p_max
    for update skip locked
  ), placed as (
    select n.calculation_id, row_number() over (order by n.recorded_at, n.calculation_id) as place from next n
  )
  update sale s set feed_place = v_last + p.place
  from placed p
  where s.calculation_id = p.calculation_id;
  get diagnostics v_placed = row_count;
  return v_placed;
end
$$;
