-- `planEarning` (engine/value/earning.ts) plans a sale's earning from the basis found here; it is given here if the basis is unchanged.
-- Functions that a basket or a sale calls are in plpgsql: those in sql are planned anew with each call.

-- The EarningBasis of a member: the totals of its accounts by the rules of an `earning`, without their locks. A missing account
-- has nothing.
--   p_calculation  rules that have counted it are listed
--   p_earning      as of `calculation.earning`
--   p_returned     whether the basket as returned was charged, else the one as sent
--   p_paid, p_net  the amount paid of the net that p_earning counts, if it is less; null: the net
create or replace function earning_basis(
  p_calculation uuid, p_member text, p_earning json, p_returned boolean, p_paid bigint, p_net bigint
) returns json
language plpgsql stable as $$
declare
  v_member text := coalesce((select g.into_id from merged_member g where g.member_id = p_member), p_member);
  v_at timestamptz := moment_of((p_earning ->> 'at')::bigint * 1000);
  v_day date := p_earning ->> 'day';
begin
  return (
    select json_build_object(
      'earning', p_earning, 'of', md5(p_earning::text), 'asReturned', p_returned, 'paid', p_paid, 'net', p_net,
      'counted', (select coalesce(json_agg(e.rule_id order by e.rule_id), '[]') from earned e where e.calculation_id = p_calculation),
      'rules', json_object_agg(r."ruleId", json_build_object(
        'total', coalesce(t.total, 0)::text,
        'version', t.version,
        'about', b.about,
        'givenWithin', case when r.maximum is not null
          then given_within(a.account_id, r."ruleId", r.maximum ->> 'period', v_day, b.about)
        end,
        'near', case when r."cooldownMinutes" is not null then json_build_array(
          (select milliseconds(max(e.at)) from earned e where e.account_id = a.account_id and e.rule_id = r."ruleId" and e.at <= v_at),
          (select milliseconds(min(e.at)) from earned e where e.account_id = a.account_id and e.rule_id = r."ruleId" and e.at > v_at)
        ) end
      ))
    )
    from json_to_recordset(p_earning -> 'rules') as r (
      "ruleId" text, "currencyId" text, maximum json, "cooldownMinutes" integer, about date
    )
    -- The planner expects a hundred rules, and would read whole tables for them: offset 0 looks each up.
    left join lateral (
      select n.account_id from account n where n.member_id = v_member and n.currency_id = r."currencyId" offset 0
    ) a on true
    cross join lateral (
      select case when r.maximum ->> 'period' = 'birthday' then birthday_period(a.account_id, r."ruleId", r.about) end as about
    ) b
    left join lateral (
      select n.total, n.xmin::text as version from earned_total n where n.account_id = a.account_id and n.rule_id = r."ruleId" offset 0
    ) t on true
  );
end
$$;

create or replace function quote_basis(p_member text, p_earning json) returns json
language sql stable as $$
  select json_build_object('basis', earning_basis(null, p_member, p_earning, true, null, null), 'rooms', (
    select coalesce(json_object_agg(a.currency_id, 9007199254740991 + a.debt - coalesce((
        select sum(case when l.expires_at > statement_timestamp() then l.amount else l.held end) from lot l
        where l.account_id = a.account_id
      ), 0)), '{}')
    from account a
    where a.member_id = coalesce((select g.into_id from merged_member g where g.member_id = p_member), p_member)
  ))
$$;

-- The rules' counts of a sale, as of `calculation.earning`; null: it earns nothing.
--   p_calculation  null id: it is unknown, and p_recounted has the counts that are possible
--   p_recounted    JSON of a PaidCount; null: if less was paid, the calculation's counts are scaled down
create or replace function sale_earning(p_sale sale, p_calculation calculation, p_recounted json) returns text
language plpgsql stable as $$
begin
  return case
    when settled_status(p_sale) in ('member_not_found', 'cancelled') then null
    -- Once, also where it comes again after it was pruned.
    when p_calculation.calculation_id is null and exists (select from earned e where e.calculation_id = p_sale.calculation_id) then null
    when p_calculation.calculation_id is null then p_recounted ->> 'earning'
    -- A failed sale that came before its calculation has earned by itself.
    when p_calculation.member_id is null or (p_sale.status = 'failed' and p_sale.result = 'unknown_calculation') then null
    when p_recounted is not null and paid_less(p_sale, p_calculation) then p_recounted ->> 'earning'
    else p_calculation.earning
  end;
end
$$;

-- The EarningBasis of a sale, arguments as of sale_earning; null: it earns nothing.
create or replace function sale_basis(p_sale sale, p_calculation calculation, p_recounted json) returns json
language plpgsql stable as $$
declare
  v_earning text := sale_earning(p_sale, p_calculation, p_recounted);
  v_scaled boolean := p_recounted is null and paid_less(p_sale, p_calculation);
begin
  return case when v_earning is not null then earning_basis(
    p_sale.calculation_id, coalesce(p_calculation.member_id, p_recounted ->> 'memberId'), v_earning::json, p_sale.status = 'applied',
    case when v_scaled then p_sale.paid_total end, case when v_scaled then charged_net(p_sale, p_calculation) end
  ) end;
end
$$;

create or replace function planned_currencies(p_plan json) returns text[]
language plpgsql immutable as $$
begin
  return array(select json_array_elements_text(p_plan -> 'currencies'));
end
$$;

create or replace function planned_accounts(p_member text, p_plan json) returns account[]
language plpgsql as $$
declare
  v_currencies text[] := planned_currencies(p_plan);
begin
  if p_member is null or v_currencies = '{}' then
    return '{}';
  end if;
  return locked_accounts(array_fill(p_member, array[cardinality(v_currencies)]), v_currencies);
end
$$;

-- Gives a member a sale's earning, and stores the count of each rule: once for a cause.
--   p_sale      status and discrepancies as it settles
--   p_accounts  locked; a rule without account counts nothing
--   p_earning   the counts; null: nothing is earned
--   p_plan      JSON of an EarningPlan. Raises LY007 if it is missing, or was made for another earning or other totals
--   p_actor     empty: the sale itself earns
--   p_cause     null: `calculation:` and its id
-- Rules share the last room of an account in their order. Rules of one currency have the same opening and expiry. Replies
-- discrepancies: value_full where an account had no room for all of it.
create or replace function earn(
  p_sale sale, p_accounts account[], p_earning text, p_plan json, p_actor text default '', p_cause text default null
) returns text[]
language plpgsql as $$
declare
  v_planned boolean := md5(p_earning) = p_plan ->> 'of';
  v_credits value_credit[];
  v_is_full boolean;
  v_owes boolean;
begin
  if p_earning is null then
    return '{}';
  end if;
  with shared as (
    select a.account_id, a.debt, p.*, p.version is not distinct from (
        select t.xmin::text from earned_total t where t.account_id = a.account_id and t.rule_id = p.rule_id
      ) as is_current,
      greatest(0, least(p.amount, a.room + p.amount - sum(p.amount) over (partition by a.account_id order by p.place)))::bigint as given
    from (
      select n.account_id, n.currency_id, n.debt,
        9007199254740991 + n.debt - coalesce((select sum(l.amount) from lot l where l.account_id = n.account_id), 0) as room
      from unnest(p_accounts) n offset 0
    ) a
    join rows from (
      json_to_recordset(p_plan -> 'rules') as (
        "ruleId" text, "currencyId" text, version text, counted bigint, returned bigint, weighted numeric, factor integer, before numeric,
        amount numeric, about date, "isLimited" boolean, "opensAfterDays" integer, expires json
      )
    ) with ordinality as p (
      rule_id, currency_id, version, counted, returned, weighted, factor, before, amount, about, is_limited, opens_after, expires, place
    ) on p.currency_id = a.currency_id
  ), counted as (
    insert into earned (
      calculation_id, rule_id, account_id, at, day, about, recorded_at, counted, returned, factor, given, is_limited, before
    )
    select p_sale.calculation_id, s.rule_id, s.account_id, moment_of((p_plan ->> 'at')::bigint * 1000),
      (p_plan ->> 'day')::date, s.about, p_sale.recorded_at, s.counted, s.returned, s.factor, s.given, s.is_limited, s.before
    from shared s
  ), added as (
    insert into earned_total as t (account_id, rule_id, total, given)
    select s.account_id, s.rule_id, s.weighted, s.given from shared s
    on conflict (account_id, rule_id) do update set total = t.total + excluded.total, given = t.given + excluded.given
  )
  select
    array_agg(row (
      g.account_id, g.given, p_sale.recorded_at + make_interval(hours => 24 * g.opens_after),
      lot_expiry(p_sale.recorded_at, p_plan ->> 'timeZone', g.expires::json)
    )::value_credit) filter (where g.given > 0),
    bool_or(g.is_full), bool_or(g.owes), v_planned and coalesce(bool_and(g.is_current), true)
  into v_credits, v_is_full, v_owes, v_planned
  from (
    select s.account_id, sum(s.given)::bigint as given, min(s.opens_after) as opens_after, min(s.expires::text) as expires,
      bool_or(s.given < s.amount) as is_full, bool_or(s.debt > 0) as owes, bool_and(s.is_current) as is_current
    from shared s
    group by s.account_id
    order by s.account_id
  ) g;
  if v_planned is not true then
    raise exception 'what % earns is not planned', p_sale.calculation_id using errcode = 'LY007';
  end if;
  if v_credits is not null then
    perform credit_accounts(
      add_movement(
        'earned', coalesce(p_cause, 'calculation:' || p_sale.calculation_id), '', p_actor
      ),
      'issued', v_credits, v_owes, p_sale.calculation_id
    );
  end if;
  return case when v_is_full then array['value_full'] else '{}' end;
end
$$;

-- The value that a rule has given an account in a period, with units that merges completed; without the part lost to its maximum.
--   p_period  basket: nothing yet; day, week (from Monday), month or year that p_day is in; birthday, without p_about the year; ever
--   p_day     day of the sale
--   p_about   as of birthday_period
create or replace function given_within(p_account bigint, p_rule text, p_period text, p_day date, p_about date) returns numeric
language plpgsql stable as $$
declare
  v_from timestamp;
  v_to timestamp;
begin
  if p_period = 'basket' then
    return 0;
  elsif p_period = 'ever' then
    return coalesce((select t.given from earned_total t where t.account_id = p_account and t.rule_id = p_rule), 0);
  elsif p_period = 'birthday' and p_about is not null then
    return coalesce((
      select sum(e.given) from earned e where e.account_id = p_account and e.rule_id = p_rule and e.about = p_about
    ), 0) + coalesce((
      select sum(u.given) from completed_units u where u.account_id = p_account and u.rule_id = p_rule and u.about = p_about
    ), 0);
  end if;
  p_period := case p_period when 'birthday' then 'year' else p_period end;
  v_from := date_trunc(p_period, p_day::timestamp);
  v_to := v_from + ('1 ' || p_period)::interval;
  return coalesce((
    select sum(e.given) from earned e
    where e.account_id = p_account and e.rule_id = p_rule and e.day >= v_from::date and e.day < v_to::date
      -- For the index: a day begins less than a day before it does in UTC, and less than two after.
      and e.at > v_from at time zone 'UTC' - interval '1 day' and e.at < v_to at time zone 'UTC' + interval '2 days'
  ), 0) + coalesce((
    select sum(u.given) from completed_units u
    where u.account_id = p_account and u.rule_id = p_rule and u.day >= v_from::date and u.day < v_to::date
  ), 0);
end
$$;

-- The period by birthday of a rule that a sale counts in: windows within 180 days are one (benefits 5).
--   p_about  the date that its window is about
create or replace function birthday_period(p_account bigint, p_rule text, p_about date) returns date
language sql stable as $$
  select coalesce((
    select e.about from earned e
    where e.account_id = p_account and e.rule_id = p_rule and e.about between p_about - 180 and p_about + 180
    order by abs(e.about - p_about) limit 1
  ), p_about)
$$;
