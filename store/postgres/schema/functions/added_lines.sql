-- Adds lines of a return to what was returned of each line before.
--   p_returned  thousandths by line of the ladder
--   p_lines     JSON array of [position in the ladder, thousandths]
create or replace function added_lines(p_returned bigint[], p_lines json) returns bigint[]
language sql immutable as $$
  select coalesce(array_agg(b.returned + coalesce(l.quantity, 0) order by b.place), '{}')
  from unnest(p_returned) with ordinality b (returned, place)
  left join (
    select (l.line ->> 0)::bigint + 1 as place, sum((l.line ->> 1)::bigint)::bigint as quantity
    from json_array_elements(p_lines) l (line) group by 1
  ) l on l.place = b.place
$$;
