-- What was returned of each line of a sale's ladder, in thousandths, in its order.
--   p_ladder  as of sale_ladder
create or replace function returned_lines(p_calculation uuid, p_ladder json) returns bigint[]
language sql stable as $$
  select added_lines(
    array_fill(0::bigint, array[json_array_length(p_ladder -> 'lines')]),
    (
      select coalesce(json_agg(l.line), '[]')
      from sale_return r cross join json_array_elements(r.lines::json) l (line)
      where r.calculation_id = p_calculation
    )
  )
$$;
