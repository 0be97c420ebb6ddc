-- Adds two objects of counts, name by name.
create or replace function add_counts(p_one jsonb, p_other jsonb) returns jsonb
language sql immutable as $$
  select coalesce(jsonb_object_agg(s.name, s.count), '{}')
  from (
    select c.key as name, sum(c.value::bigint) as count
    from (select * from jsonb_each_text(p_one) union all select * from jsonb_each_text(p_other)) c
    group by c.key
  ) s
$$;
