-- Deletes what deleted webhooks have left, p_max deliveries of each at most.
create or replace function prune_deliveries(p_max integer) returns void
language plpgsql as $$
declare
  v_webhook uuid;
  v_count integer;
begin
  for v_webhook in select r.webhook_id from removed_webhook r order by r.webhook_id for update skip locked loop
    delete from delivery d where d.ctid = any (array(
      select o.ctid from delivery o where o.webhook_id = v_webhook limit p_max
    ));
    get diagnostics v_count = row_count;
    delete from removed_webhook r where r.webhook_id = v_webhook and v_count < p_max;
  end loop;
end
$$;
