-- The scope of a limit in the newest programme; null: it has no such limit.
create or replace function limit_scope(p_limit text) returns text
language sql stable as $$
  select l.value ->> 'scope'
  from (select p.benefits from programme_version p order by p.version desc limit 1) p,
    json_array_elements(p.benefits::json) b, json_array_elements(b.value -> 'limits') l
  where l.value ->> 'limitId' = p_limit
  limit 1
$$;
