-- Gives a member what a sale earns, and stores what each rule counted of it. Every sale comes here once at most.
--   p_sale     its status decides which basket was charged, if any
--   p_earning  as of `calculation.earning`; where less was paid than the basket's net, counted anew
--   p_claim    null: the sale itself earns
-- Replies discrepancies: value_full where an account had no room for all of it.
create or replace function earn(p_sale sale, p_member text, p_earning text, p_claim change_context default null) returns text[]
language plpgsql as $$
declare
  v_earning jsonb := p_earning;
  v_rules earning_rule[];
  v_currencies text[];
  v_counted record;
begin
  if p_member is null or p_earning is null or p_sale.status in ('member_not_found', 'cancelled') then
    return '{}';
  end if;
  select array_agg(r), array_agg(r.currency_id) into v_rules, v_currencies
  from earning_rules(v_earning, p_sale.status = 'applied') r;
  if v_rules is null then
    return '{}';
  end if;
  v_counted := count_earned(
    p_sale, v_rules, locked_accounts(array_fill(p_member, array[cardinality(v_currencies)]), v_currencies),
    moment_of((v_earning ->> 'at')::bigint * 1000), (v_earning ->> 'day')::date, v_earning ->> 'timeZone'
  );
  if v_counted.credits is not null then
    perform credit_accounts(
      add_movement(
        'earned', case when p_claim is null then 'calculation:' else 'claim:' end || p_sale.calculation_id, '',
        coalesce(p_claim.actor, '')
      ),
      'issued', v_counted.credits, v_counted.owes, p_sale.calculation_id
    );
  end if;
  return case when v_counted.is_full then array['value_full'] else '{}' end;
end
$$;

-- Gives a member what a sale earns that failed for an unknown calculation, once: also where it comes again after it was pruned.
--   p_counted  JSON of {memberId, earning, isPartial}: what could be counted of what was paid; '' or null: nothing
-- Replies discrepancies: earning_unknown where some rules could not be counted, value_full as of earn.
create or replace function earn_unknown(p_sale sale, p_counted text) returns text[]
language sql as $$
  select case when c.counted -> 'isPartial' = 'true' then array['earning_unknown'] else '{}' end
    || case
      when c.counted ->> 'earning' is null then '{}'
      when exists (select from earned e where e.calculation_id = p_sale.calculation_id) then '{}'
      else earn(p_sale, c.counted ->> 'memberId', c.counted ->> 'earning')
    end
  from (select nullif(p_counted, '')::jsonb as counted) c
$$;

-- The rules of a calculation's `earning` that count something of the basket that was charged, in the order of the programme.
--   p_returned  whether the basket as returned was charged, else the one as sent
create or replace function earning_rules(p_earning jsonb, p_returned boolean)
returns setof earning_rule
language sql immutable as $$
  select r.place, r."ruleId", r."currencyId", r.give, r.per, r.every, r.factor,
    case when p_returned then r.returned else r.sent end,
    make_interval(mins => r."cooldownMinutes"), (r.maximum ->> 'amount')::bigint,
    -- Of a member without a birthday.
    case when r.maximum ->> 'period' = 'birthday' and r.about is null then 'year' else r.maximum ->> 'period' end,
    make_interval(hours => 24 * coalesce(r."opensAfterDays", 0)), r.expires, r.about
  from rows from (
    jsonb_to_recordset(p_earning -> 'rules') as (
      "ruleId" text, "currencyId" text, give bigint, per text, every bigint, factor integer, sent bigint, returned bigint,
      "cooldownMinutes" integer, maximum jsonb, "opensAfterDays" integer, expires json, about date
    )
  ) with ordinality as r (
    "ruleId", "currencyId", give, per, every, factor, sent, returned, "cooldownMinutes", maximum, "opensAfterDays", expires, about, place
  )
  where case when p_returned then r.returned else r.sent end > 0
  order by r.place
$$;

-- What each rule that counts a sale gives for it, without the bound of the account and with it. A total T becomes T + b, and the sale
-- gives give x (floor((T + b) / n) - floor(T / n)), at most what the rule's maximum and the account leave; a visit gives once. A rule that
-- counted a sale within its cooldown does not count this one. Of the last room of an account, a rule gets what earlier ones leave.
create or replace function earning_due(p_rules earning_rule[], p_accounts account[], p_at timestamptz, p_day date)
returns table (
  account_id bigint, debt bigint, place bigint, rule_id text, counted bigint, factor integer, opens_after interval, expires json,
  is_limited boolean, about date, before numeric, amount numeric, given bigint
)
language sql stable as $$
  select w.account_id, w.debt, w.place, w.rule_id, w.counted, w.factor, w.opens_after, w.expires, w.is_limited, w.about, w.before, w.amount,
    greatest(0, least(w.amount, w.room + w.amount - sum(w.amount) over (partition by w.account_id order by w.place)))::bigint
  from (
    select a.account_id, a.room, a.debt, r.place, r.rule_id, r.counted, r.factor, r.opens_after, r.expires,
      r.period is not null or r.cooldown is not null as is_limited, b.about, coalesce(t.total, 0) as before,
      least(
        case r.per
          when 'visit' then div(r.give::numeric * r.counted * r.factor, 10000)
          else r.give * (
            div(coalesce(t.total, 0) + r.counted::numeric * r.factor, r.every::numeric * 10000)
            - div(coalesce(t.total, 0), r.every::numeric * 10000)
          )
        end,
        case when r.period is not null then greatest(0, r.most - given_within(a.account_id, r.rule_id, r.period, p_day, b.about)) end
      ) as amount
    from (
      select n.account_id, n.currency_id, n.debt,
        9007199254740991 + n.debt - coalesce((select sum(l.amount) from lot l where l.account_id = n.account_id), 0) as room
      from unnest(p_accounts) n offset 0
    ) a
    join unnest(p_rules) r on r.currency_id = a.currency_id
    cross join lateral (
      select case when r.period = 'birthday' then birthday_period(a.account_id, r.rule_id, r.about) end as about
    ) b
    left join earned_total t on t.account_id = a.account_id and t.rule_id = r.rule_id
    where case when r.cooldown is null then true else not exists (
      select from earned e
      where e.account_id = a.account_id and e.rule_id = r.rule_id and e.at > p_at - r.cooldown and e.at < p_at + r.cooldown
    ) end
  ) w
$$;

-- Counts a sale for its rules, and returns what they give (earning_due). The caller holds the accounts.
--   p_rules     as of earning_rules
--   p_accounts  of the member; a rule without account counts nothing
--   p_at        requestedAt; p_day: its day at the venue
--   p_zone      of the sale's venue
--   credits     of the accounts that get something, in order; rules of one currency have the same opening and expiry. null: none
--   is_full     an account had less room
--   owes        an account has debt
create or replace function count_earned(
  p_sale sale, p_rules earning_rule[], p_accounts account[], p_at timestamptz, p_day date, p_zone text,
  out credits value_credit[], out is_full boolean, out owes boolean
)
language plpgsql as $$
begin
  with shared as (
    select d.* from earning_due(p_rules, p_accounts, p_at, p_day) d
  ), counted as (
    insert into earned (calculation_id, rule_id, account_id, at, day, about, counted, factor, given, is_limited, before)
    select p_sale.calculation_id, s.rule_id, s.account_id, p_at, p_day, s.about, s.counted, s.factor, s.given, s.is_limited, s.before
    from shared s
  ), added as (
    insert into earned_total as t (account_id, rule_id, total, given)
    select s.account_id, s.rule_id, s.counted::numeric * s.factor, s.given from shared s
    on conflict (account_id, rule_id) do update set total = t.total + excluded.total, given = t.given + excluded.given
  )
  select
    array_agg(row (
      g.account_id, g.given, p_sale.recorded_at + g.opens_after, lot_expiry(p_sale.recorded_at, p_zone, g.expires::json)
    )::value_credit) filter (where g.given > 0),
    bool_or(g.is_full), bool_or(g.owes)
  into credits, is_full, owes
  from (
    select s.account_id, sum(s.given)::bigint as given, min(s.opens_after) as opens_after, min(s.expires::text) as expires,
      bool_or(s.given < s.amount) as is_full, bool_or(s.debt > 0) as owes
    from shared s
    group by s.account_id
    order by s.account_id
  ) g;
end
$$;

-- What a rule has given an account in a period, with what merges completed; what was lost to its maximum is left out.
--   p_period  basket: nothing yet; day, week (from Monday), month or year that p_day is in; birthday; ever
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
  elsif p_period = 'birthday' then
    return coalesce((
      select sum(e.given) from earned e where e.account_id = p_account and e.rule_id = p_rule and e.about = p_about
    ), 0) + coalesce((
      select sum(u.given) from completed_units u where u.account_id = p_account and u.rule_id = p_rule and u.about = p_about
    ), 0);
  end if;
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

-- Scales an `earning` down to what was paid of the net (p_paid < p_net), where it cannot be counted anew from the basket.
create or replace function scale_earning(p_earning text, p_paid bigint, p_net bigint) returns text
language sql immutable as $$
  select jsonb_set(p_earning::jsonb, '{rules}', coalesce(jsonb_agg(
    case when r.rule ->> 'per' = 'amount'
      then r.rule || jsonb_build_object(
        'sent', div((r.rule ->> 'sent')::numeric * p_paid, p_net), 'returned', div((r.rule ->> 'returned')::numeric * p_paid, p_net)
      )
      else r.rule
    end order by r.place
  ), '[]'))::text
  from jsonb_array_elements(p_earning::jsonb -> 'rules') with ordinality as r (rule, place)
$$;

-- What each rule would give a member if a basket were sold now as returned, as JSON by ruleId. Locks nothing.
--   p_member   null: one that has nothing yet
--   p_earning  as of `calculation.earning`
create or replace function quote_earning(p_member text, p_earning text) returns json
language plpgsql stable as $$
declare
  v_earning jsonb := p_earning;
  v_rules earning_rule[] := array(select r from earning_rules(v_earning, true) r);
  v_member text := coalesce((select g.into_id from merged_member g where g.member_id = p_member), p_member);
  v_accounts account[] := array(
    select case when a.account_id is null
      then jsonb_populate_record(null::account, jsonb_build_object('account_id', -n.place, 'currency_id', n.currency_id, 'debt', 0))
      else a
    end
    from (select r.currency_id, min(r.place) as place from unnest(v_rules) r group by r.currency_id) n
    left join account a on a.member_id = v_member and a.currency_id = n.currency_id
  );
begin
  return (
    select coalesce(json_object_agg(d.rule_id, d.given), '{}')
    from earning_due(v_rules, v_accounts, moment_of((v_earning ->> 'at')::bigint * 1000), (v_earning ->> 'day')::date) d
  );
end
$$;
