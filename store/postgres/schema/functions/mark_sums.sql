-- Begins a new stretch of sales to be summed: what is recorded before p_at is visible once every transaction below this one has ended.
--   p_at  a time at which this transaction had no number yet
create or replace function mark_sums(p_at timestamptz) returns void
language sql as $$
  update sums_state set next_at = p_at, next_xid = pg_current_xact_id()
$$;
