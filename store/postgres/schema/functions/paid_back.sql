-- What is refunded of a sale of which so much was returned: of k of a line `floor(k x net / quantity)`, so that every split of a return
-- sums to the same.
--   p_ladder    as of sale_ladder
--   p_returned  thousandths by line
create or replace function paid_back(p_ladder json, p_returned bigint[]) returns bigint
language sql immutable as $$
  select coalesce(sum(div(p_returned[l.place] * (l.line ->> 2)::numeric, (l.line ->> 1)::numeric)), 0)::bigint
  from json_array_elements(p_ladder -> 'lines') with ordinality as l (line, place)
$$;
