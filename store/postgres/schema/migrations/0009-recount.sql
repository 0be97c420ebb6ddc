-- Recounting: what the counters say against what calculations and sales say, for `npm run reconcile` and for the service itself,
-- which goes through all counters in small slices.

-- The predicate is always true and must be asked for: for no other statement may the planner take this index, which holds all
-- that a hot counter ever had, for the cheapest (see 0001).
create index reservation_of_counter on reservation (counter_id) where units > 0;

create index sale_discrepancy on sale (recorded_at) where discrepancies <> '{}';

-- Calculations come nearly in the order of their time, so that a few bytes per page find a day of them.
create index calculation_age on calculation using brin (answered_at);

-- The state that a reservation must have by its calculation and that one's sale. What has expired may have been given back
-- already or not: whoever needed it has done so.
create function due_state(p_reservation reservation, p_calculation calculation, p_sale sale) returns reservation_state
language sql volatile as $$
  select case
    when p_calculation.state = 'open' then
      case when p_reservation.state = 'open' or p_calculation.expires_at > clock_timestamp() then 'open' else 'released' end
    when p_sale.status = 'applied' or (p_sale.status = 'unchanged' and p_calculation.status = 'unchanged') then
      case
        when p_calculation.state = 'finalised' then 'used'
        when p_calculation.state in ('expired', 'superseded') then 'late'
        else 'released'
      end
    else 'released'
  end::reservation_state
$$;

-- How far the service has come with its recount; one row, which belongs to whoever holds the advisory lock of recount_slice.
create table recount (
  id integer primary key default 1 check (id = 1),
  next_counter bigint not null default 0,
  counters bigint not null default 0,
  differences bigint not null default 0,
  -- Counters with more reservations than a slice may read: left to `npm run reconcile`.
  passed_over bigint not null default 0,
  sliced_at timestamptz not null default 'epoch',
  -- Of the last round that went through all counters.
  ended_at timestamptz,
  last_counters bigint not null default 0,
  last_differences bigint not null default 0,
  last_passed_over bigint not null default 0
);
insert into recount default values;

-- Compares one counter with its reservations, in one look.
--   p_rows       reservations read at most
--   passed_over  it has more than that: nothing was compared
--   difference   what the counter says and what the records say, where they differ; else null
create function recount_counter(p_counter bigint, p_rows integer, out passed_over boolean, out difference text)
language sql volatile as $$
  select d.rows > p_rows, case
    when d.rows <= p_rows and (k.open, k.used, k.late) <> (d.open, d.used, d.late) then
      format('%s|%s|%s: open %s, used %s, late %s; by the records open %s, used %s, late %s',
        k.limit_id, k.subject, k.period, k.open, k.used, k.late, d.open, d.used, d.late)
  end
  from limit_counter k, lateral (
    select count(*) as rows,
      coalesce(sum(e.units) filter (where e.due = 'open'), 0)::bigint as open,
      coalesce(sum(e.units) filter (where e.due = 'used'), 0)::bigint as used,
      coalesce(sum(e.units) filter (where e.due = 'late'), 0)::bigint as late
    from (
      select r.units, due_state(r, c, s) as due
      from (
        select * from reservation o where o.counter_id = p_counter and o.units > 0 limit p_rows + 1
      ) o
      join reservation r on r.calculation_id = o.calculation_id and r.counter_id = o.counter_id
      left join calculation c on c.calculation_id = r.calculation_id
      left join sale s on s.calculation_id = r.calculation_id
    ) e
  ) d
  where k.counter_id = p_counter
$$;

-- Recounts the next few counters, unless another gateway is at it or has just been.
--   p_pause     since the last slice of any gateway
--   p_budget    a slice begins no further counter after this time
--   p_rows      reservations of one counter at most; one with more is passed over
--   differing   the differences of this slice
create function recount_slice(p_pause interval, p_budget interval, p_rows integer, out differing text[])
language plpgsql as $$
declare
  v_began timestamptz := clock_timestamp();
  v_state recount;
  v_counter bigint;
  v_passed_over boolean;
  v_difference text;
begin
  differing := '{}';
  if not pg_try_advisory_xact_lock(hashtextextended('loyalty recount', 0)) then
    return;
  end if;
  select r.* into strict v_state from recount r;
  if v_state.sliced_at > v_began - p_pause then
    return;
  end if;
  loop
    select k.counter_id into v_counter from limit_counter k
    where k.counter_id >= v_state.next_counter order by k.counter_id limit 1;
    exit when v_counter is null or clock_timestamp() > v_began + p_budget;
    select t.passed_over, t.difference into v_passed_over, v_difference from recount_counter(v_counter, p_rows) t;
    v_state.counters := v_state.counters + 1;
    v_state.passed_over := v_state.passed_over + v_passed_over::integer;
    if v_difference is not null then
      v_state.differences := v_state.differences + 1;
      differing := differing || v_difference;
    end if;
    v_state.next_counter := v_counter + 1;
  end loop;
  if v_counter is null then
    v_state.ended_at := clock_timestamp();
    v_state.last_counters := v_state.counters;
    v_state.last_differences := v_state.differences;
    v_state.last_passed_over := v_state.passed_over;
    v_state.next_counter := 0;
    v_state.counters := 0;
    v_state.differences := 0;
    v_state.passed_over := 0;
  end if;
  update recount r set
    next_counter = v_state.next_counter, counters = v_state.counters, differences = v_state.differences,
    passed_over = v_state.passed_over, sliced_at = clock_timestamp(), ended_at = v_state.ended_at,
    last_counters = v_state.last_counters, last_differences = v_state.last_differences,
    last_passed_over = v_state.last_passed_over;
end
$$;
