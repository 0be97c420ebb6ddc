-- Members of a segment by their ids, at most p_max of those behind p_after; blocked ones too. Compares JSON texts: Postgres cannot read
-- every body (U+0000, lone surrogates). Quotes inside strings are escaped, so the first pattern matches only the field.
create or replace function segment_members(p_segment text, p_after text, p_max integer) returns setof text
language sql stable as $$
  select m.member_id from member m
  where m.member_id > p_after
    and exists (
      select from regexp_matches(
        substring(m.body from '"segments":\[((?:"(?:[^"\\]|\\.)*",?)*)\]'), '"(?:[^"\\]|\\.)*"', 'g'
      ) s (id)
      where s.id[1] = to_json(p_segment)::text
    )
  order by m.member_id
  limit p_max
$$;
