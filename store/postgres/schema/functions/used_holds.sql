-- The holds that a sale has used: those of its calculation, or of the one whose discounts its basket carried as sent.
create or replace function used_holds(p_calculation uuid) returns setof value_hold
language sql stable as $$
  select h.* from value_hold h
  where h.calculation_id = p_calculation and h.used_by is null and h.state in ('used', 'late')
  union all
  select h.* from value_hold h where h.used_by = p_calculation
$$;
