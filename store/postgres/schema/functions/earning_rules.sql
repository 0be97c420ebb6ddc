-- The rules of a calculation's `earning` that count something of the basket that was charged, in the order of the programme.
--   p_earning   as of the column; null: none
--   p_returned  whether the basket as returned was charged, else the one as sent
create or replace function earning_rules(p_earning jsonb, p_returned boolean)
returns setof earning_rule
language sql immutable as $$
  select r.place, r."ruleId", r."currencyId", r.give, r.per, r.every, r.factor,
    case when p_returned then r.returned else r.sent end,
    make_interval(mins => r."cooldownMinutes"), (r.maximum ->> 'amount')::bigint, r.maximum ->> 'period',
    make_interval(hours => 24 * coalesce(r."opensAfterDays", 0)), r.expires
  from rows from (
    jsonb_to_recordset(p_earning -> 'rules') as (
      "ruleId" text, "currencyId" text, give bigint, per text, every bigint, factor integer, sent bigint, returned bigint,
      "cooldownMinutes" integer, maximum jsonb, "opensAfterDays" integer, expires json
    )
  ) with ordinality as r (
    "ruleId", "currencyId", give, per, every, factor, sent, returned, "cooldownMinutes", maximum, "opensAfterDays", expires, place
  )
  where case when p_returned then r.returned else r.sent end > 0
  order by r.place
$$;
