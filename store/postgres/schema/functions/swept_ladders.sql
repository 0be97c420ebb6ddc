-- Moves the sweep of ladders behind a sale, and ends the lease.
create or replace function swept_ladders(p_recorded_at timestamptz, p_calculation uuid) returns void
language sql as $$
  update ladder_sweep w set recorded_at = p_recorded_at, calculation_id = p_calculation, leased_until = '-infinity'
  where (w.recorded_at, w.calculation_id) < (p_recorded_at, p_calculation)
$$;
