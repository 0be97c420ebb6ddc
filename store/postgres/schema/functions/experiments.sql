-- Changes of a programme to experiments that have begun: a JSON array as of fixed_faults. Leaving one out, or an earlier end, is none.
--   p_experiments  as of programme_version.experiments
create or replace function experiment_faults(p_experiments json) returns json
language sql stable as $$
  select coalesce(json_agg(json_build_object('path', f.path, 'expected', f.expected, 'received', f.received) order by n.place), '[]')
  from rows from (json_to_recordset(p_experiments) as (path text, experiment_id text, until_ms float8, body text))
    with ordinality as n (path, experiment_id, until_ms, body, place)
  join experiment e on e.experiment_id = n.experiment_id
  cross join lateral (values
    (e.body <> n.body, n.path, 'the experiment as it was published, or none: it has begun', 'a changed experiment'),
    (coalesce(to_timestamp(n.until_ms / 1000), 'infinity') > coalesce(e.until_at, 'infinity'), n.path || '.until',
      'a moment no later than it was published: it has begun', coalesce(to_timestamp(n.until_ms / 1000)::text, 'nothing'))
  ) f (is_changed, path, expected, received)
  where f.is_changed and coalesce(lower(e.runs) <= clock_timestamp(), true)
$$;

create or replace function store_experiments(p_experiments json) returns void
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_ids text[] := array(select n.experiment_id from json_to_recordset(p_experiments) as n (experiment_id text));
begin
  if v_ids <> '{}' then
    perform make_forgetting_key();
  end if;
  delete from experiment e where lower(e.runs) > v_now;
  update experiment e set runs = e.runs * tstzmultirange(tstzrange(null, v_now))
  where e.experiment_id <> all (v_ids) and upper(e.runs) is distinct from least(upper(e.runs), v_now);
  insert into experiment as e (experiment_id, name, body, until_at, runs)
  select n.experiment_id, n.name, n.body, to_timestamp(n.until_ms / 1000),
    run_between(greatest(to_timestamp(n.from_ms / 1000), v_now), to_timestamp(n.until_ms / 1000))
  from json_to_recordset(p_experiments)
    as n (experiment_id text, name text, body text, from_ms float8, until_ms float8)
  on conflict (experiment_id) do update set name = excluded.name, until_at = excluded.until_at,
    runs = e.runs * tstzmultirange(tstzrange(null, v_now)) + run_between(v_now, excluded.until_at);
end
$$;

create or replace function run_between(p_from timestamptz, p_until timestamptz) returns tstzmultirange
language sql immutable as $$
  select case when p_until <= p_from then '{}' else tstzmultirange(tstzrange(p_from, p_until)) end
$$;

create or replace function enter_experiments(p_calculations uuid[]) returns void
language sql as $$
  insert into experiment_member (experiment_id, member_id, arm_id, currency, entered_at)
  select distinct on (e.experiment_id, c.member_id) e.experiment_id, c.member_id, e.arm_id, c.currency, c.answered_at
  from calculation c cross join lateral entered_in(c) e
  where c.calculation_id = any (p_calculations) and c.member_id is not null
  order by e.experiment_id, c.member_id, c.answered_at
  on conflict do nothing
$$;

create or replace function entered_in(p_calculation calculation)
returns table (experiment_id text, arm_id text, is_withheld boolean)
language sql immutable as $$
  select e ->> 0, e ->> 1, e ->> 2 = '1' from json_array_elements((p_calculation).entered::json) e
$$;

-- The arm of a member, as gateway/cache/arms.ts computes it.
create or replace function experiment_arm(p_experiment experiment, p_member text) returns text
language sql stable as $$
  select a.arm_id
  from (
    select r.place, r.arm ->> 'armId' as arm_id, sum((r.arm ->> 'percentage')::numeric) over (order by r.place) as below
    from json_array_elements((p_experiment).body::json -> 'arms') with ordinality r (arm, place)
  ) a, forgetting_key k
  where a.below * (2::numeric ^ 48) > 1000000::numeric * ('x' || encode(substring(
    forgotten_digest(k, 'experiment', (p_experiment).experiment_id || E'\n' || p_member) for 6
  ), 'hex'))::bit(48)::bigint
  order by a.place limit 1
$$;

-- The figures of a member in the sums of its arm, 0 left out: for the statistics as in engine/experiments/sums.ts, then those to show.
create or replace function member_figures(p_member experiment_member) returns table (figure text, amount numeric)
language sql stable as $$
  select f.figure, f.amount
  from experiment x
  cross join lateral (select
    (p_member).entry::numeric as e, (p_member).past::numeric as h, (p_member).spend::numeric as x, (p_member).given::numeric as g,
    case when x.body::json ->> 'metric' = 'visits' then (p_member).visits else (p_member).net end::numeric as y
  ) m
  cross join lateral (values
    ('members', 1), ('entry', m.e), ('entrySquared', m.e * m.e), ('past', m.h), ('pastByEntry', m.h * m.e), ('spend', m.x),
    ('spendSquared', m.x * m.x), ('spendByEntry', m.x * m.e), ('metric', m.y), ('metricSquared', m.y * m.y), ('metricByEntry', m.y * m.e),
    ('metricByPast', m.y * m.h), ('metricBySpend', m.y * m.x), ('given', m.g), ('givenSquared', m.g * m.g), ('givenByEntry', m.g * m.e),
    ('givenByPast', m.g * m.h), ('givenBySpend', m.g * m.x), ('metricByGiven', m.y * m.g),
    ('visits', (p_member).visits), ('net', (p_member).net), ('refunded', (p_member).refunded), ('discount', (p_member).discount)
  ) f (figure, amount)
  where x.experiment_id = (p_member).experiment_id and f.amount <> 0 and (p_member).counted and not (p_member).left_out
$$;

create or replace function add_figures(p_before experiment_member[], p_after experiment_member[]) returns void
language sql as $$
  insert into experiment_sum as t (experiment_id, arm_id, currency, day, figure, amount)
  select m.experiment_id, m.arm_id, m.currency, sum_day(x), f.figure, sum(m.sign * f.amount)
  from (
    select b.*, -1 as sign from unnest(p_before) b
    union all
    select a.*, 1 from unnest(p_after) a
  ) m
  join experiment x on x.experiment_id = m.experiment_id
  cross join lateral member_figures(row(
    m.experiment_id, m.member_id, m.arm_id, m.currency, m.entered_at, m.counted, m.left_out, m.entry, m.past, m.spend, m.visits, m.net,
    m.refunded, m.discount, m.given
  )::experiment_member) f
  group by m.experiment_id, m.arm_id, m.currency, sum_day(x), f.figure
  having sum(m.sign * f.amount) <> 0
  on conflict (experiment_id, arm_id, currency, day, figure) do update set amount = t.amount + excluded.amount
$$;

create or replace function sum_day(p_experiment experiment) returns date
language sql stable as $$
  select least((clock_timestamp() at time zone 'UTC')::date, (upper((p_experiment).runs) at time zone 'UTC')::date)
$$;

create or replace function count_entries(p_max integer) returns void
language plpgsql as $$
declare
  v_counted experiment_member[];
begin
  with due as materialized (
    select m.experiment_id, m.member_id, m.entered_at, m.currency, m.entered_at - interval '56 days' as since from experiment_member m
    where not m.counted and not m.left_out order by m.experiment_id, m.member_id limit p_max for update
  ), before as materialized (
    select d.experiment_id, d.member_id, exists (
        select from calculation c where c.member_id = d.member_id and c.answered_at < d.since
      ) as is_past, (
        select coalesce(sum(sale_net(s, c) - coalesce((
          select sum(r.refund) from sale_return r where r.calculation_id = s.calculation_id and r.recorded_at < d.entered_at
        ), 0)), 0)
        from calculation c join sale s on s.calculation_id = c.calculation_id
        where c.member_id = d.member_id and c.answered_at >= d.since and c.answered_at < d.entered_at
          and s.recorded_at < d.entered_at and s.currency = d.currency and is_visit(s)
      ) as spend
    from due d
  ), counted as (
    update experiment_member m set counted = true, past = b.is_past::integer, spend = case when b.is_past then b.spend else 0 end,
      entry = greatest(0, (m.entered_at at time zone 'UTC')::date - (lower(x.runs) at time zone 'UTC')::date)
    from before b join experiment x on x.experiment_id = b.experiment_id
    where m.experiment_id = b.experiment_id and m.member_id = b.member_id
    returning m
  )
  select array_agg(c.m) into v_counted from counted c;
  perform add_figures('{}', v_counted) where v_counted is not null;
end
$$;

-- Adds sales to the sums of their members, with a discount or without, and queues baskets with withheld benefits for pricing.
--   p_sales   new ones
--   p_joined  summed before, without the calculation that has come since
create or replace function sum_experiment_sales(p_sales uuid[], p_joined uuid[]) returns void
language plpgsql as $$
declare
  v_changes experiment_member[];
begin
  if not exists (select from experiment_member) then
    return;
  end if;
  v_changes := array(
    select changed_by(m, 1, s, c, 0)
    from unnest(p_sales || p_joined) i (id)
    join sale s on s.calculation_id = i.id
    left join calculation c on c.calculation_id = i.id
    cross join lateral (select coalesce(c.member_id, (
      -- As count_visit counts it.
      select l.member_id from member_loyalty_id l
      where c.calculation_id is null and s.status = 'failed' and l.loyalty_id = s.loyalty_id
    )) as member_id) b
    join experiment_member m on m.member_id = b.member_id
    join experiment x on x.experiment_id = m.experiment_id
    where counts_in(x, m, s, c)
      and not (s.calculation_id = any (p_joined) and s.status = 'failed' and s.loyalty_id is not null)
  );
  perform change_experiment_members(v_changes);
  with withheld as (
    insert into experiment_withheld (calculation_id, experiment_id, arm_id, currency)
    select c.calculation_id, m.experiment_id, m.arm_id, m.currency
    from unnest(p_sales || p_joined) i (id)
    join sale s on s.calculation_id = i.id
    join calculation c on c.calculation_id = i.id
    cross join lateral entered_in(c) e
    join experiment_member m on m.experiment_id = e.experiment_id and m.member_id = c.member_id and m.currency = s.currency
    join experiment x on x.experiment_id = m.experiment_id
    where e.is_withheld and not m.left_out and is_redeemed(s, c) and counts_in(x, m, s, c)
    on conflict do nothing
    returning experiment_id, arm_id, currency
  )
  insert into experiment_sum as t (experiment_id, arm_id, currency, day, figure, amount)
  select w.experiment_id, w.arm_id, w.currency, sum_day(x), 'withheldBaskets', count(*)
  from withheld w join experiment x on x.experiment_id = w.experiment_id
  group by w.experiment_id, w.arm_id, w.currency, sum_day(x)
  on conflict (experiment_id, arm_id, currency, day, figure) do update set amount = t.amount + excluded.amount;
end
$$;

-- Takes at most p_max returns out of the sums of their members, on the day on which they are recorded.
create or replace function sum_experiment_returns(p_max integer) returns void
language plpgsql as $$
declare
  v_returns bigint[];
begin
  with taken as (
    delete from experiment_return t where t.return_id in (select r.return_id from experiment_return r order by r.return_id limit p_max)
    returning t.return_id
  )
  select array_agg(t.return_id) into v_returns from taken t;
  perform change_experiment_members(array(
    select changed_by(m, 0, s, c, r.refund)
    from sale_return r
    join sale s on s.calculation_id = r.calculation_id
    join calculation c on c.calculation_id = r.calculation_id
    join experiment_member m on m.member_id = c.member_id
    join experiment x on x.experiment_id = m.experiment_id
    where r.return_id = any (v_returns) and counts_in(x, m, s, c)
  )) where v_returns is not null;
end
$$;

create or replace function counts_in(p_experiment experiment, p_member experiment_member, p_sale sale, p_calculation calculation)
returns boolean
language sql immutable as $$
  select is_visit(p_sale) and (p_sale).claimed_at is null and m.moment >= (p_member).entered_at and (p_experiment).runs @> m.moment
  from (select coalesce((p_calculation).answered_at, (p_sale).recorded_at) as moment) m
$$;

create or replace function is_visit(p_sale sale) returns boolean
language sql immutable as $$
  select p_sale.status in ('applied', 'unchanged', 'failed') and 'transaction_repeated' <> all (p_sale.discrepancies)
$$;

create or replace function sale_net(p_sale sale, p_calculation calculation) returns bigint
language sql stable as $$
  select coalesce(p_sale.paid_total, charged_net(p_sale, p_calculation), 0)
$$;

create or replace function changed_by(p_member experiment_member, p_visits integer, p_sale sale, p_calculation calculation, p_refund bigint)
returns experiment_member
language plpgsql stable as $$
declare
  v_gains experiment_member := p_member;
  v_paid bigint := sale_net(p_sale, p_calculation);
  v_discount bigint := coalesce(given_in_sale(p_sale, p_calculation), 0);
  v_given bigint := 0;
begin
  v_gains.visits := p_visits;
  if v_discount > 0 then
    select coalesce(sum((g ->> 1)::bigint), 0) into v_given
    from json_array_elements((p_calculation).gave::json) g
    where measures(p_member.experiment_id, g ->> 0);
  end if;
  if p_visits = 0 then
    v_discount := -div(v_discount::numeric * p_refund, greatest(v_paid, 1));
    v_given := -div(v_given::numeric * p_refund, greatest(v_paid, 1));
    v_paid := -p_refund;
  end if;
  if p_sale.currency <> p_member.currency then
    v_paid := 0;
    v_discount := 0;
    v_given := 0;
    p_refund := 0;
  end if;
  v_gains.net := v_paid;
  v_gains.refunded := p_refund;
  v_gains.discount := v_discount;
  v_gains.given := v_given;
  return v_gains;
end
$$;

create or replace function measures(p_experiment text, p_benefit text) returns boolean
language sql stable as $$
  select coalesce(bool_or(json_typeof(a -> 'benefitIds') = 'null' or exists (
    select from json_array_elements_text(case when json_typeof(a -> 'benefitIds') = 'array' then a -> 'benefitIds' else '[]' end) b (id)
    where b.id = p_benefit
  )), false)
  from experiment x cross join json_array_elements(x.body::json -> 'arms') a
  where x.experiment_id = p_experiment
$$;

create or replace function change_experiment_members(p_gains experiment_member[]) returns void
language plpgsql as $$
declare
  v_before experiment_member[];
  v_after experiment_member[];
begin
  if p_gains = '{}' then
    return;
  end if;
  with gains as materialized (
    select g.experiment_id, g.member_id, sum(g.visits) as visits, sum(g.net) as net, sum(g.refunded) as refunded,
      sum(g.discount) as discount, sum(g.given) as given
    from unnest(p_gains) g group by g.experiment_id, g.member_id
  ), before as materialized (
    select m as gained from experiment_member m join gains g on g.experiment_id = m.experiment_id and g.member_id = m.member_id
    order by m.experiment_id, m.member_id for update of m
  ), after as (
    update experiment_member m set visits = m.visits + g.visits, net = m.net + g.net, refunded = m.refunded + g.refunded,
      discount = m.discount + g.discount, given = m.given + g.given
    from gains g join before b on (b.gained).experiment_id = g.experiment_id and (b.gained).member_id = g.member_id
    where m.experiment_id = g.experiment_id and m.member_id = g.member_id
    returning m
  )
  select (select array_agg(b.gained) from before b), (select array_agg(a.m) from after a) into v_before, v_after;
  perform add_figures(v_before, v_after);
end
$$;

create or replace function merge_experiments(p_from text, p_into text) returns void
language plpgsql as $$
declare
  v_from experiment_member;
  v_into experiment_member;
  v_merged experiment_member;
begin
  if not lock_experiments(array[p_from, p_into]) then
    return;
  end if;
  for v_from in
    delete from experiment_member m where m.member_id = p_from returning m.*
  loop
    delete from experiment_member m where m.experiment_id = v_from.experiment_id and m.member_id = p_into returning m.* into v_into;
    v_merged := v_from;
    v_merged.member_id := p_into;
    if v_into.member_id is null then
      select v_from.left_out or experiment_arm(x, p_into) is distinct from v_from.arm_id or exists (
        -- The id as in read-experiment.ts. Who is in its holdout is in no other.
        select from experiment g
        where g.experiment_id <> x.experiment_id and g.experiment_id like 'global-holdout-%' and g.runs @> clock_timestamp()
          and experiment_arm(g, p_into) = 'holdout'
      ) into v_merged.left_out
      from experiment x where x.experiment_id = v_from.experiment_id;
    else
      v_merged := v_into;
      v_merged.left_out := v_from.left_out or v_into.left_out or v_from.arm_id <> v_into.arm_id or v_from.currency <> v_into.currency;
      v_merged.counted := v_from.counted and v_into.counted;
      v_merged.entered_at := least(v_from.entered_at, v_into.entered_at);
      v_merged.entry := least(v_from.entry, v_into.entry);
      v_merged.past := greatest(v_from.past, v_into.past);
      v_merged.spend := v_from.spend + v_into.spend;
      v_merged.visits := v_from.visits + v_into.visits;
      v_merged.net := v_from.net + v_into.net;
      v_merged.refunded := v_from.refunded + v_into.refunded;
      v_merged.discount := v_from.discount + v_into.discount;
      v_merged.given := v_from.given + v_into.given;
    end if;
    insert into experiment_member select v_merged.*;
    perform add_figures(
      case when v_into.member_id is null then array[v_from] else array[v_from, v_into] end, array[v_merged]
    );
  end loop;
end
$$;

create or replace function lease_withheld(p_max integer) returns setof experiment_withheld
language sql as $$
  update experiment_withheld w set leased_until = clock_timestamp() + interval '1 minute'
  where (w.calculation_id, w.experiment_id) in (
    select d.calculation_id, d.experiment_id from experiment_withheld d where d.leased_until < clock_timestamp()
    order by d.leased_until, d.calculation_id, d.experiment_id limit p_max for update skip locked
  )
  returning w.*
$$;

create or replace function price_withheld(p_calculation uuid, p_experiment text, p_amount bigint) returns void
language plpgsql as $$
declare
  v_due experiment_withheld;
begin
  perform pg_advisory_xact_lock(hashtextextended('loyalty sums', 0));
  delete from experiment_withheld w where w.calculation_id = p_calculation and w.experiment_id = p_experiment returning w.* into v_due;
  insert into experiment_sum as t (experiment_id, arm_id, currency, day, figure, amount)
  select v_due.experiment_id, v_due.arm_id, v_due.currency, sum_day(x),
    case when p_amount is null then 'unpricedBaskets' else 'withheld' end, coalesce(p_amount, 1)
  from experiment x where x.experiment_id = v_due.experiment_id
  on conflict (experiment_id, arm_id, currency, day, figure) do update set amount = t.amount + excluded.amount;
end
$$;
