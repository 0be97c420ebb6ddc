-- Deletes request ids older than p_age with their replies, and wrong codes that no longer count (wrong_codes).
create or replace function prune_orders(p_age interval) returns void
language plpgsql as $$
declare
  v_before timestamptz := clock_timestamp() - p_age;
begin
  delete from change_order o where o.made_at < v_before;
  delete from wrong_code w where w.at <= clock_timestamp() - interval '1 hour';
end
$$;
