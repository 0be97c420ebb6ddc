-- Adds the members who got benefits in sales to benefit_reach; as the benefit '' they got any. A day before the last two on which a member
-- got it is passed over: a POS reports its sales within a day.
create or replace function add_reach(p_sales uuid[]) returns void
language plpgsql as $$
declare
  v_members text[];
  v_benefits text[];
  v_days date[];
  v_day date;
begin
  select array_agg(r.member_id), array_agg(r.benefit_id), array_agg(r.day) into v_members, v_benefits, v_days
  from (
    select distinct c.member_id, b.benefit_id, g.day
    from calculation c cross join lateral given_by_sales(array[c.calculation_id]) g
    cross join lateral (values (g.benefit_id), ('')) b (benefit_id)
    where c.calculation_id = any (p_sales) and c.member_id is not null and g.redeemed
  ) r;
  for v_day in select distinct d.day from unnest(v_days) d (day) order by d.day loop
    with got as (
      select r.member_id, r.benefit_id from unnest(v_members, v_benefits, v_days) r (member_id, benefit_id, day)
      where r.day = v_day
    ), changed as materialized (
      select g.member_id, g.benefit_id, m.last_day, m.day_before
      from got g left join benefit_member m on m.member_id = g.member_id collate "C" and m.benefit_id = g.benefit_id collate "C"
      where m.last_day is null or v_day > m.last_day
        or (v_day < m.last_day and v_day > coalesce(m.day_before, '-infinity'))
    ), kept as (
      insert into benefit_member (member_id, benefit_id, last_day, day_before)
      select c.member_id, c.benefit_id, greatest(v_day, c.last_day), case when v_day > c.last_day then c.last_day
        when v_day < c.last_day then v_day end
      from changed c order by c.member_id, c.benefit_id
      on conflict (member_id, benefit_id) do update set last_day = excluded.last_day, day_before = excluded.day_before
    ), moved as (
      select c.benefit_id, v_day as day, reach_place(v_day, case when v_day > c.last_day then c.last_day else c.day_before end) as place,
        1 as members
      from changed c
      union all
      -- A day in between: who came again on the last one came again after it.
      select c.benefit_id, c.last_day, reach_place(c.last_day, b.before), b.members
      from changed c cross join lateral (values (c.day_before, -1), (v_day, 1)) b (before, members)
      where v_day < c.last_day
    ), sums as (
      select m.benefit_id, m.day, coalesce(m.place, 0) as place, sum(m.members)::bigint as members
      from moved m group by m.benefit_id, m.day, coalesce(m.place, 0)
    )
    insert into benefit_reach as r (benefit_id, day, first, again)
    select s.benefit_id, s.day, coalesce(sum(s.members) filter (where s.place = 0), 0),
      add_places('{}', coalesce(array_agg(s.place) filter (where s.place > 0), '{}'), array_agg(s.members) filter (where s.place > 0))
    from sums s group by s.benefit_id, s.day
    order by s.day, s.benefit_id
    on conflict (day, benefit_id) do update set first = r.first + excluded.first,
      again = add_places(r.again, array(select generate_subscripts(excluded.again, 1)), excluded.again);
  end loop;
end
$$;
