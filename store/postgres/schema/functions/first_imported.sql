-- The place, from 0, of the first of these import causes that was used before; null: none was.
create or replace function first_imported(p_causes text[]) returns integer
language sql volatile as $$
  select min(c.place)::integer - 1
  from unnest(p_causes) with ordinality c (cause, place)
  where exists (select from movement m where m.cause = c.cause)
    or exists (select from forgetting_key k join movement m on m.cause = erased_cause(k, c.cause))
$$;
