-- Deletes request ids older than p_age with their replies.
create or replace function prune_orders(p_age interval) returns void
language plpgsql as $$
declare
  v_before timestamptz := clock_timestamp() - p_age;
begin
  delete from change_order o where o.made_at < v_before;
end
$$;
