-- An audit record of a member with `forgotten` in place of these loyalty ids. One of an account has none.
create or replace function snapshot_without(p_snapshot text, p_loyalty_ids text[]) returns text
language sql immutable as $$
  select case when strpos(p_snapshot, ',"profile":') = 0 then p_snapshot else '{"loyaltyIds":' || coalesce((
      select json_agg(case when l.id = any (p_loyalty_ids) then 'forgotten' else l.id end order by l.place)::text
      from json_array_elements_text(snapshot_loyalty_ids(p_snapshot)) with ordinality l (id, place)
    ), '[]') || substr(p_snapshot, strpos(p_snapshot, ',"profile":')) end
$$;
