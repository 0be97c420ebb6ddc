-- The first line of a return of which less is left than is returned.
--   p_returned  thousandths by line of the ladder, before
--   p_lines     JSON array of [position in the ladder, thousandths]
-- Replies {"kind":"too_much","place","left"}: the place in p_lines, from 0; null: there is none.
create or replace function too_much(p_ladder json, p_returned bigint[], p_lines json) returns json
language sql immutable as $$
  select json_build_object('kind', 'too_much', 'place', l.place - 1, 'left', l.left)
  from (
    select n.place, (n.line ->> 1)::bigint as quantity,
      (p_ladder -> 'lines' -> (n.line ->> 0)::integer ->> 1)::bigint - p_returned[(n.line ->> 0)::integer + 1] as left
    from json_array_elements(p_lines) with ordinality n (line, place)
  ) l
  where l.quantity > l.left
  order by l.place
  limit 1
$$;
