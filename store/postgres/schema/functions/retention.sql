-- Creates the partitions of calculation_body from today (UTC) to p_ahead days from now. Each is attached after it was created, which
-- locks no writer out.
create or replace function ensure_partitions(p_ahead integer) returns void
language plpgsql as $$
declare
  v_today date := (clock_timestamp() at time zone 'UTC')::date;
  v_day date;
  v_name text;
begin
  perform pg_advisory_xact_lock(hashtextextended('loyalty partitions', 0));
  for v_day in select v_today + n from generate_series(0, p_ahead) n loop
    v_name := 'calculation_body_' || to_char(v_day, 'YYYYMMDD');
    if to_regclass(v_name) is null then
      execute format('create table %I (like calculation_body including all) with (toast_tuple_target = 8160)', v_name);
      execute format(
        'alter table calculation_body attach partition %I for values from (%L) to (%L)', v_name, v_day, v_day + 1
      );
    end if;
  end loop;
end
$$;

-- Drops the partitions of calculation_body older than p_days days (UTC). Replies how many. Waits for a lock for 50 ms at most, because new
-- calculations would queue behind it.
create or replace function drop_partitions(p_days integer) returns integer
language plpgsql as $$
declare
  v_first text := 'calculation_body_' || to_char((clock_timestamp() at time zone 'UTC')::date - p_days, 'YYYYMMDD');
  v_name text;
  v_dropped integer := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('loyalty partitions', 0));
  perform set_config('lock_timeout', '50', true);
  for v_name in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'calculation_body'::regclass and c.relname < v_first
    order by c.relname
  loop
    execute format('drop table %I', v_name);
    v_dropped := v_dropped + 1;
  end loop;
  return v_dropped;
end
$$;

-- Deletes at most p_max calculations older than p_days days with their reservations and sales, and as many sales of unknown calculations,
-- the oldest first. Replies how many of both.
-- - Used value of accounts stays (value_hold), as the movements do.
-- - Counters keep their sums (pruned_*). A counter of a period goes when it has no reservation left.
-- - A calculation that is open, locked by another call, or has a younger sale stays. Sales are read again under the lock, because one may
--   have come since; under the lock none can come.
-- - The last sale of the feed stays: the next place follows its place.
create or replace function prune_records(p_days integer, p_max integer) returns integer
language plpgsql as $$
declare
  v_until timestamptz := clock_timestamp() - make_interval(days => p_days);
  v_last bigint;
  v_ids uuid[];
  v_counters bigint[];
  v_sales integer;
begin
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
  v_ids := array(
    select i.id from unnest(v_ids) i (id)
    where not exists (select from sale s where s.calculation_id = i.id and s.recorded_at >= v_until)
  );
  perform lock_counters(v_ids);

  delete from value_hold h where h.calculation_id = any (v_ids) and h.state = 'released';
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
  if cardinality(v_ids) + v_sales > 0 then
    update sums_state t set pruned_before = v_until where t.pruned_before < v_until;
  end if;
  return cardinality(v_ids) + v_sales;
end
$$;
