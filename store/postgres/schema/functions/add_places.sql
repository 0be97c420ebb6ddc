-- Adds counts to those of an array, each at its place from 1 on; what lies between its end and a place is null.
create or replace function add_places(p_counts bigint[], p_places integer[], p_more bigint[]) returns bigint[]
language plpgsql immutable as $$
begin
  for v_at in 1 .. cardinality(p_places) loop
    p_counts[p_places[v_at]] := coalesce(p_counts[p_places[v_at]], 0) + coalesce(p_more[v_at], 0);
  end loop;
  return p_counts;
end
$$;
