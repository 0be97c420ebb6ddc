-- The limits of mixed_money as faults. Arguments as of it; replies as fixed_faults.
create or replace function money_faults(p_limits json, p_venues json) returns json
language sql stable as $$
  select coalesce(json_agg(json_build_object(
      'path', x.path,
      'expected', format(
        'no amount, since the benefit is open at venues of several currencies (%s)', array_to_string(x.currencies, ', ')
      ),
      'received', '"amount"'
    ) order by x.place), '[]')
  from mixed_money(p_limits, p_venues) x
$$;
