-- Begins a new stretch of sales to be summed: what is recorded before now is visible once the transactions that run now have ended.
create or replace function mark_sums() returns void
language plpgsql as $$
begin
  update sums_state set next_at = clock_timestamp();
  -- A later statement has a later snapshot.
  update sums_state set next_xid = pg_snapshot_xmax(pg_current_snapshot());
end
$$;
