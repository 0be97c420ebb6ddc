-- Limits of money whose benefits are open at venues of several currencies, with the venues that are stored already.
--   p_limits  as of programme_version.limits
--   p_venues  as of store_venues; these replace the stored ones
-- A body is searched as text: its strings have no bare quotes, and not all of them can be read in SQL.
create or replace function mixed_money(p_limits json, p_venues json)
returns table (place bigint, path text, currencies text[])
language sql stable as $$
  with money as materialized (
    select m.path, m.venue_ids, m.place
    from rows from (json_to_recordset(p_limits) as (path text, counts text, venue_ids text[]))
      with ordinality as m (path, counts, venue_ids, place)
    where m.counts = 'amount'
  ), named as materialized (
    select v.venue_id, v.body from json_to_recordset(p_venues) as v (venue_id text, body text)
  ), open as (
    select n.venue_id, n.body from named n
    union all
    select v.venue_id, v.body from venue v
    where exists (select from money) and not exists (select from named n where n.venue_id = v.venue_id)
  ), known as materialized (
    select o.venue_id, substring(o.body from '"currency":"([A-Z]{3})"') as currency from open o where exists (select from money)
  )
  select m.place, m.path, array_agg(distinct k.currency order by k.currency)
  from money m
  join known k on m.venue_ids is null or k.venue_id = any(m.venue_ids)
  group by m.path, m.place
  having count(distinct k.currency) > 1
  order by m.place
$$;
