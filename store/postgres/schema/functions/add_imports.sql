-- Adds the movements of an import, without entries.
--   p_causes  as of import_cause, each once
-- Replies their ids in the same order; null: one of the causes was used before, and nothing is added.
create or replace function add_imports(p_causes text[], p_actor text) returns bigint[]
language plpgsql as $$
declare
  -- One time for all: value that opens with one row is open for the next.
  v_now timestamptz := clock_timestamp();
  v_added bigint[];
begin
  -- In the order of their causes: two imports with the same references wait for each other in one order.
  with added as (
    insert into movement (kind, at, cause, actor)
    select 'imported', v_now, c.cause, p_actor from unnest(p_causes) c (cause) order by c.cause collate "C"
    on conflict (cause) do nothing
    returning movement_id
  )
  select array_agg(a.movement_id) into v_added from added a;
  if cardinality(v_added) is distinct from cardinality(p_causes) or exists (
    select from forgetting_key k, unnest(p_causes) c (cause) join movement m on true
    where m.cause = erased_cause(k, c.cause)
  ) then
    delete from movement m where m.movement_id = any (v_added);
    return null;
  end if;
  return array(
    select (select m.movement_id from movement m where m.cause = c.cause)
    from unnest(p_causes) with ordinality c (cause, place)
    order by c.place
  );
end
$$;
