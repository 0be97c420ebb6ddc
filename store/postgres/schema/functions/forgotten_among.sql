-- Those of these ids that are forgotten; none where there is no key.
--   p_kind  member or loyalty
--   p_ids   JSON array of ids
create or replace function forgotten_among(p_kind text, p_ids json) returns setof text
language sql stable as $$
  select i.id
  from forgetting_key k
  cross join json_array_elements_text(p_ids) i (id)
  join forgotten f on f.digest = forgotten_digest(k, p_kind, i.id)
  where exists (select from forgotten)
$$;
