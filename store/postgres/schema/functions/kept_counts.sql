-- What each rule counts of what was kept of a sale (4-member-value 5): of a line its net less what was returned of it, of units those
-- that were not given free are returned first, a visit until everything is returned; nothing below the minimum spend.
--   p_ladder    as of sale_ladder
--   p_returned  thousandths by line
-- Replies the rules in the order of the programme.
create or replace function kept_counts(p_ladder json, p_returned bigint[])
returns table (place bigint, rule_id text, on_return text, counted bigint)
language sql immutable as $$
  with line as (
    select l.place - 1 as at, (l.line ->> 2)::bigint - div(p_returned[l.place] * (l.line ->> 2)::numeric, (l.line ->> 1)::numeric) as net,
      case when (l.line ->> 1)::bigint % 1000 = 0
        then greatest(0, (l.line ->> 1)::bigint / 1000 - (l.line ->> 4)::bigint - p_returned[l.place] / 1000)
        else 0
      end as units
    from json_array_elements(p_ladder -> 'lines') with ordinality as l (line, place)
  )
  select r.place, r."ruleId", coalesce(r."onReturn", 'to_zero'), case
    when r."minimumSpend" > (
      select coalesce(sum(l.net), 0) from json_array_elements_text(r.spending) s (at) join line l on l.at = s.at::bigint
    ) then 0
    when r.per = 'visit' then anything_kept(p_ladder, p_returned)::integer
    else (
      select coalesce(sum(case when r.per = 'amount' then l.net else l.units end), 0)
      from json_array_elements_text(r.lines) s (at) join line l on l.at = s.at::bigint
    )
  end::bigint
  from rows from (
    json_to_recordset(p_ladder -> 'rules') as (
      "ruleId" text, per text, "onReturn" text, "minimumSpend" bigint, spending json, lines json
    )
  ) with ordinality as r ("ruleId", per, "onReturn", "minimumSpend", spending, lines, place)
$$;
