-- The days of calculation_body: made ahead, dropped whole.

-- Makes the partitions from today (UTC) to p_ahead days on. Attaching a finished table locks nobody out.
create function ensure_partitions(p_ahead integer) returns void
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
      execute format('create table %I (like calculation_body including all)', v_name);
      execute format(
        'alter table calculation_body attach partition %I for values from (%L) to (%L)', v_name, v_day, v_day + 1
      );
    end if;
  end loop;
end
$$;

-- Drops the partitions of days before p_days days ago (UTC); replies how many. Waits for nobody longer than a moment: new
-- calculations would queue up behind it.
create function drop_partitions(p_days integer) returns integer
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
