-- What comes back of a sale's spending once so much was returned, by currency (4-member-value 5 and 9). Of a line the units that no benefit
-- discounted are returned first, then those of its costed benefits in turn; a benefit on all units of a line counts by itself. A cost for
-- each unit comes back with the unit, any other when all that the benefit discounted was returned.
--   p_ladder    as of sale_ladder
--   p_returned  thousandths by line
create or replace function spent_back(p_ladder json, p_returned bigint[])
returns table (currency_id text, amount bigint)
language sql immutable as $$
  with line as (
    select l.place - 1 as at, case when q.quantity % 1000 = 0 then q.quantity / 1000 else 1 end as units,
      case when q.quantity % 1000 = 0 then p_returned[l.place] / 1000 else (p_returned[l.place] = q.quantity)::integer end as returned
    from json_array_elements(p_ladder -> 'lines') with ordinality as l (line, place)
    cross join lateral (select (l.line ->> 1)::bigint as quantity) q
  ), spent as (
    select s.* from rows from (
      json_to_recordset(p_ladder -> 'spent') as ("currencyId" text, per text, amount bigint, times bigint, lines json)
    ) with ordinality as s (currency_id, per, amount, times, lines, place)
  ), discounted as (
    select s.place, u.units, l.units - u.units as others, l.returned,
      sum(u.units) filter (where u.units < l.units) over (partition by l.at) as partial,
      sum(u.units) filter (where u.units < l.units) over (partition by l.at order by s.place) as partial_so_far
    from spent s
    cross join lateral json_array_elements(s.lines) as n (line)
    join line l on l.at = (n.line ->> 0)::bigint
    cross join lateral (select least(l.units, (n.line ->> 1)::bigint) as units) u
  ), back as (
    select d.place, d.units, case
      when d.others = 0 then least(d.units, d.returned)
      else greatest(0, least(d.units, d.returned - greatest(0, d.units + d.others - d.partial) - (d.partial_so_far - d.units)))
    end as returned
    from discounted d
  ), sums as (
    select b.place, sum(b.returned) as returned, bool_and(b.returned = b.units) as is_all from back b group by b.place
  )
  select s.currency_id, sum(case
    when s.per = 'unit' then s.amount * least(s.times, coalesce(b.returned, 0))
    when coalesce(b.is_all, not anything_kept(p_ladder, p_returned)) then s.amount * s.times
    else 0
  end)::bigint
  from spent s left join sums b on b.place = s.place
  group by s.currency_id
$$;
