-- Creates the partitions of calculation_body from today (UTC) to p_ahead days from now. Each is created first and attached then, which
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
      -- What fits a page stays on it: the bodies of 20 lines are smaller by a tenth than with a part of them in a table beside it.
      execute format('create table %I (like calculation_body including all) with (toast_tuple_target = 8160)', v_name);
      execute format(
        'alter table calculation_body attach partition %I for values from (%L) to (%L)', v_name, v_day, v_day + 1
      );
    end if;
  end loop;
end
$$;
