-- Drops the partitions of calculation_body older than p_days days (UTC).
-- Replies how many. Waits for a lock for 50 ms at most, because new calculations would queue behind it.
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
