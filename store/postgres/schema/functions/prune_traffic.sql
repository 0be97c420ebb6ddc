-- Deletes the traffic of minutes older than p_age.
create or replace function prune_traffic(p_age interval) returns void
language sql as $$
  delete from traffic_minute t where t.minute < clock_timestamp() - p_age
$$;
