-- What a programme would change although it is fixed once published.
--   p_currencies  as of store_currencies, in the order of the document
-- Replies a JSON array of {path, expected, received}, in the order of the document.
create or replace function fixed_faults(p_currencies json) returns json
language sql stable as $$
  select coalesce(json_agg(json_build_object(
      'path', format('currencies[%s].scale', c.place - 1),
      'expected', format('%s, as published before', k.scale),
      'received', c.scale::text
    ) order by c.place), '[]')
  from rows from (json_to_recordset(p_currencies) as (currency_id text, scale integer))
    with ordinality as c (currency_id, scale, place)
  join value_currency k on k.currency_id = c.currency_id
  where k.scale <> c.scale
$$;
