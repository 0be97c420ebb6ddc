-- The scope of a limit in the newest programme; null: it has no such limit.
create or replace function limit_scope(p_limit text) returns text
language plpgsql stable as $$
declare
  v_benefits json := (select p.benefits::json from programme_version p order by p.version desc limit 1);
begin
  -- An object where there is more than benefits.
  if json_typeof(v_benefits) = 'object' then
    v_benefits := v_benefits -> 'benefits';
  end if;
  return (
    select l.value ->> 'scope'
    from json_array_elements(v_benefits) b,
      json_array_elements(case when json_typeof(b.value -> 'limits') = 'array' then b.value -> 'limits' end) l
    where l.value ->> 'limitId' = p_limit
    limit 1
  );
end
$$;
