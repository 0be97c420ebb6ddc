-- What a programme would change although it is fixed once published.
--   p_currencies  as of store_currencies, in the order of the document
--   p_limits      as of programme_version.limits
-- Replies a JSON array of {path, expected, received}, in the order of the document.
create or replace function fixed_faults(p_currencies json, p_limits json) returns json
language sql stable as $$
  select coalesce(json_agg(json_build_object(
      'path', f.path, 'expected', f.expected || ', as published before', 'received', f.received
    ) order by f.list, f.place, f.field), '[]')
  from (
    select 1 as list, c.place, 0 as field, format('currencies[%s].scale', c.place - 1) as path, k.scale::text as expected,
      c.scale::text as received
    from rows from (json_to_recordset(p_currencies) as (currency_id text, scale integer))
      with ordinality as c (currency_id, scale, place)
    join value_currency k on k.currency_id = c.currency_id
    where k.scale <> c.scale
    union all
    select 2, r.place, f.field, format('earning[%s].%s', r.place, f.name), f.expected, f.received
    from json_to_recordset(p_currencies) as c (currency_id text, rules json)
    cross join json_to_recordset(c.rules) as r (place integer, rule_id text, give bigint, per text, every bigint)
    join value_rule k on k.rule_id = r.rule_id
    cross join lateral (values
      (1, 'currencyId', k.currency_id::text, c.currency_id),
      (2, 'give', k.give::text, r.give::text),
      (3, 'per', concat_ws(' ', k.per, k.every), concat_ws(' ', r.per, r.every))
    ) as f (field, name, expected, received)
    where f.expected <> f.received
    union all
    select 3, l.place, 0, l.path, to_json(k.counts)::text, to_json(l.counts)::text
    from rows from (json_to_recordset(p_limits) as (path text, limit_id text, counts text))
      with ordinality as l (path, limit_id, counts, place)
    join published_limit k on k.limit_id = l.limit_id
    where k.counts <> l.counts
  ) f
$$;
