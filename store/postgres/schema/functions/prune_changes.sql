-- Deletes changes older than p_age from the feed, except the newest one.
create or replace function prune_changes(p_age interval) returns void
language plpgsql as $$
declare
  v_before timestamptz := clock_timestamp() - p_age;
begin
  delete from change c
  where c.changed_at < v_before and c.revision < (select max(n.revision) from change n);
end
$$;
