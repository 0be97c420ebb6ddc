-- What keeps a programme from being published although its document alone has no fault: fixed_faults, then money_faults.
create or replace function publication_faults(p_currencies json, p_limits json, p_venues json) returns json
language sql stable as $$
  select coalesce(json_agg(f.fault order by f.list, f.place), '[]')
  from (
    select 1 as list, e.place, e.fault
    from json_array_elements(fixed_faults(p_currencies, p_limits)) with ordinality e (fault, place)
    union all
    select 2, e.place, e.fault from json_array_elements(money_faults(p_limits, p_venues)) with ordinality e (fault, place)
  ) f
$$;
