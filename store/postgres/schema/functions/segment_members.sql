-- Members of a segment by their ids, at most p_max of those behind p_after; blocked ones too.
create or replace function segment_members(p_segment text, p_after text, p_max integer) returns setof text
language sql stable as $$
  select m.member_id from member m
  where m.member_id > p_after
    and exists (select from json_array_elements_text(m.body::json -> 'segments') s (id) where s.id = p_segment)
  order by m.member_id
  limit p_max
$$;
