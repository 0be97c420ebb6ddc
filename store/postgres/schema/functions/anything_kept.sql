-- Whether a unit of a line that had an amount due was not returned.
--   p_ladder    as of sale_ladder
--   p_returned  thousandths by line
create or replace function anything_kept(p_ladder json, p_returned bigint[]) returns boolean
language sql immutable as $$
  select exists (
    select from json_array_elements(p_ladder -> 'lines') with ordinality as l (line, place)
    where (l.line ->> 3)::bigint > 0 and p_returned[l.place] < (l.line ->> 1)::bigint
  )
$$;
