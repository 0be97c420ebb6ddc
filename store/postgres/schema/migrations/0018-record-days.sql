-- Records of more than so many days are deleted in slices, where the operator wants that. A GUID must be unique for as long as it is
-- known, and a repeat does not say when it was first seen: so these tables are no partitions of time, whose key would have to hold it.

-- What was used of a counter by calculations that are deleted: counters and reservations agree as before with these added.
alter table limit_counter
  add column pruned_used bigint not null default 0,
  add column pruned_late bigint not null default 0;

-- Deletes calculations of more than p_days days ago with their reservations and sales, and sales of unknown calculations, the oldest
-- first, at most p_max of each; replies how many calculations and sales went. Counters keep their sums; one of a period of which
-- nothing is left goes too. What somebody works on stays for the next slice, and so does a calculation whose sale came later. The last
-- sale of the feed stays, for the next one gets the place behind it.
create function prune_records(p_days integer, p_max integer) returns integer
language plpgsql as $$
declare
  v_until timestamptz := clock_timestamp() - make_interval(days => p_days);
  v_last bigint;
  v_ids uuid[];
  v_counters bigint[];
  v_sales integer;
begin
  perform require_durable();
  if not pg_try_advisory_xact_lock(hashtextextended('loyalty pruning', 0)) then
    return 0;
  end if;
  select s.feed_place into v_last from sale s where s.feed_place is not null order by s.feed_place desc limit 1;
  v_ids := array(
    select c.calculation_id from calculation c
    where c.answered_at < v_until and c.state <> 'open' and not exists (
      select from sale s
      where s.calculation_id = c.calculation_id and (s.recorded_at >= v_until or s.feed_place = v_last)
    )
    order by c.answered_at, c.calculation_id
    limit p_max
  );
  v_ids := array(
    select c.calculation_id from calculation c where c.calculation_id = any (v_ids)
    order by c.calculation_id for update skip locked
  );
  perform lock_counters(v_ids);

  with gone as (
    delete from reservation r where r.calculation_id = any (v_ids) returning r.counter_id, r.state, r.units
  ), sums as (
    select g.counter_id, coalesce(sum(g.units) filter (where g.state = 'used'), 0)::bigint as used,
      coalesce(sum(g.units) filter (where g.state = 'late'), 0)::bigint as late
    from gone g group by g.counter_id
  ), kept as (
    update limit_counter k set pruned_used = k.pruned_used + s.used, pruned_late = k.pruned_late + s.late
    from sums s where k.counter_id = s.counter_id
    returning k.counter_id
  )
  select array_agg(counter_id) into v_counters from kept;
  delete from limit_counter k
  where k.counter_id = any (v_counters) and k.period <> '' and k.open = 0 and k.used = k.pruned_used and k.late = k.pruned_late
    and not exists (select from reservation r where r.counter_id = k.counter_id and r.units > 0);

  delete from sale s where s.calculation_id = any (v_ids) or s.calculation_id = any (array(
    select u.calculation_id from sale u
    where u.recorded_at < v_until and (u.feed_place = v_last) is not true
      and not exists (select from calculation c where c.calculation_id = u.calculation_id)
    order by u.recorded_at, u.calculation_id
    limit p_max
  ));
  get diagnostics v_sales = row_count;
  delete from calculation c where c.calculation_id = any (v_ids);
  return cardinality(v_ids) + v_sales;
end
$$;

-- As before (0009), with what is deleted added.
create or replace function recount_counter(p_counter bigint, p_rows integer, out passed_over boolean, out difference text)
language sql volatile as $$
  select d.rows > p_rows, case
    when d.rows <= p_rows and (k.open, k.used, k.late) <> (d.open, d.used + k.pruned_used, d.late + k.pruned_late) then
      format('%s|%s|%s: open %s, used %s, late %s; by the records open %s, used %s, late %s',
        k.limit_id, k.subject, k.period, k.open, k.used, k.late, d.open, d.used + k.pruned_used, d.late + k.pruned_late)
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
