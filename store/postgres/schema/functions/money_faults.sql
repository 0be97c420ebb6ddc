-- Limits of money whose benefits would be open at venues of several currencies, with the venues that are stored already.
--   p_money   JSON array of {path, venue_ids}; venue_ids null: open everywhere
--   p_venues  as of store_venues; these replace the stored ones
-- Replies as fixed_faults. A body is searched as text: its strings have no bare quotes, and not all of them can be read in SQL.
create or replace function money_faults(p_money json, p_venues json) returns json
language sql stable as $$
  with money as materialized (
    select m.path, m.venue_ids, m.place
    from rows from (json_to_recordset(p_money) as (path text, venue_ids text[])) with ordinality as m (path, venue_ids, place)
  ), named as materialized (
    select v.venue_id, v.body from json_to_recordset(p_venues) as v (venue_id text, body text)
  ), open as (
    select n.venue_id, n.body from named n
    union all
    select v.venue_id, v.body from venue v
    where exists (select from money) and not exists (select from named n where n.venue_id = v.venue_id)
  ), known as materialized (
    select o.venue_id, substring(o.body from '"currency":"([A-Z]{3})"') as currency from open o where exists (select from money)
  ), mixed as (
    select m.path, m.place, string_agg(distinct k.currency, ', ') as currencies
    from money m
    join known k on m.venue_ids is null or k.venue_id = any(m.venue_ids)
    group by m.path, m.place
    having count(distinct k.currency) > 1
  )
  select coalesce(json_agg(json_build_object(
      'path', x.path,
      'expected', format('no amount, since the benefit is open at venues of several currencies (%s)', x.currencies),
      'received', '"amount"'
    ) order by x.place), '[]')
  from mixed x
$$;
