create or replace function sum_sales(p_max integer) returns integer
language plpgsql as $$
declare
  -- Both before anything is written or locked: from then on this transaction has a number, and counts as running.
  v_began timestamptz := clock_timestamp();
  v_running xid8 := pg_snapshot_xmin(pg_current_snapshot());
  v_state sums_state;
  v_new uuid[];
  v_given uuid[];
  v_earning uuid[];
  v_last timestamptz;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('loyalty sums', 0)) then
    return 0;
  end if;
  perform count_entries(p_max);
  perform sum_experiment_returns(p_max);
  select * into strict v_state from sums_state;
  if not exists (select from unsummed_sales('infinity', 1)) then
    return 0;
  end if;
  if v_running < v_state.next_xid then
    if v_state.next_xid > pg_snapshot_xmax(pg_current_snapshot()) then
      -- Restored from a dump, into a database that counts its transactions anew.
      perform mark_sums(v_began);
    end if;
    return 0;
  end if;

  perform 1
  from unsummed_sales(v_state.next_at, p_max) u join sale s on s.calculation_id = u.calculation_id
  where s.result = 'unknown_calculation' and s.joined_at is null
  order by s.calculation_id
  for share of s;
  select coalesce(array_agg(u.calculation_id order by u.recorded_at, u.calculation_id) filter (where not u.is_joined), '{}'),
    coalesce(array_agg(u.calculation_id), '{}'), coalesce(array_agg(u.calculation_id) filter (where u.earns), '{}'),
    max(u.recorded_at) filter (where not u.is_joined)
  into v_new, v_given, v_earning, v_last
  from unsummed_sales(v_state.next_at, p_max) u;
  perform add_sums(v_new, v_given, v_earning);
  perform sum_experiment_sales(v_new, array(select g.id from unnest(v_given) g (id) where g.id <> all (v_new)));
  delete from joined_sale j where j.calculation_id = any (v_given);
  if cardinality(v_new) = p_max then
    update sums_state set summed_at = v_last, summed_id = v_new[p_max];
  else
    update sums_state t set summed_at = t.next_at, summed_id = '00000000-0000-0000-0000-000000000000'
    where t.next_at > t.summed_at;
    perform mark_sums(v_began);
  end if;
  return cardinality(v_given);
end
$$;

-- At most p_max sales recorded before p_until that are not in the daily sums, the oldest first, and all whose calculation came later.
-- is_joined: it was summed already without its calculation. earns: its earning is not in the sums; an earning without calculation is.
create or replace function unsummed_sales(p_until timestamptz, p_max integer)
returns table (calculation_id uuid, recorded_at timestamptz, is_joined boolean, earns boolean)
language sql stable as $$
  (
    select s.calculation_id, s.recorded_at, false, true
    from sums_state t, sale s
    where (s.recorded_at, s.calculation_id) > (t.summed_at, t.summed_id) and s.recorded_at < p_until
    order by s.recorded_at, s.calculation_id
    limit p_max
  )
  union all
  select s.calculation_id, s.recorded_at, true, s.status <> 'failed'
  from sums_state t, joined_sale j join sale s on s.calculation_id = j.calculation_id
  where (s.recorded_at, s.calculation_id) <= (t.summed_at, t.summed_id)
$$;

create or replace function add_sums(p_new uuid[], p_given uuid[], p_earning uuid[]) returns void
language plpgsql as $$
begin
  insert into sale_sum as t
  select f.venue_id, f.day, f.currency, sum(f.sales), sum(f.member_sales), sum(f.applied), sum(f.failed), sum(f.cancelled), sum(f.paid),
    sum(f.discount), sum(f.apart)
  from (select * from sale_figures(p_new) union all select * from given_figures(p_given)) f group by f.venue_id, f.day, f.currency
  on conflict (venue_id, day, currency) do update set
    sales = t.sales + excluded.sales, member_sales = t.member_sales + excluded.member_sales, applied = t.applied + excluded.applied,
    failed = t.failed + excluded.failed, cancelled = t.cancelled + excluded.cancelled, paid = t.paid + excluded.paid,
    discount = t.discount + excluded.discount, apart = t.apart + excluded.apart;

  insert into benefit_sum as t
  select k.span, k.venue_id, k.day, f.benefit_id, f.currency, sum(f.calculations), sum(f.redemptions), sum(f.discount), sum(f.paid)
  from benefit_figures(p_given) f cross join lateral sum_keys(f.venue_id, f.day) k
  group by k.span, k.venue_id, k.day, f.benefit_id, f.currency
  on conflict (span, venue_id, day, benefit_id, currency) do update set
    calculations = t.calculations + excluded.calculations, redemptions = t.redemptions + excluded.redemptions,
    discount = t.discount + excluded.discount, paid = t.paid + excluded.paid;

  insert into value_sum as t
  select k.span, k.venue_id, k.day, f.source_id, f.currency_id, sum(f.earned), sum(f.spent)
  from value_figures(p_earning) f cross join lateral sum_keys(f.venue_id, f.day) k
  group by k.span, k.venue_id, k.day, f.source_id, f.currency_id
  on conflict (span, venue_id, day, source_id, currency_id) do update set
    earned = t.earned + excluded.earned, spent = t.spent + excluded.spent;

  perform add_reach(p_given);
end
$$;

create or replace function sale_figures(p_sales uuid[]) returns setof sale_sum
language sql stable as $$
  select coalesce(c.venue_id, s.venue_id, ''), local_day(coalesce(c.answered_at, s.recorded_at), v.time_zone, v.day_starts), s.currency,
    (s.status <> 'cancelled')::integer::bigint, (s.status <> 'cancelled' and c.member_id is not null)::integer::bigint,
    (s.status = 'applied')::integer::bigint, (s.status = 'failed')::integer::bigint, (s.status = 'cancelled')::integer::bigint,
    case when s.status <> 'cancelled' then coalesce(s.paid_total, 0) else 0 end, 0,
    case when s.status = 'applied' then coalesce(s.loyalty_discount_total, 0) else 0 end
  from unnest(p_sales) i (id)
  join sale s on s.calculation_id = i.id
  left join calculation c on c.calculation_id = i.id
  left join venue v on v.venue_id = coalesce(c.venue_id, s.venue_id)
  where 'transaction_repeated' <> all (s.discrepancies)
$$;

create or replace function given_figures(p_sales uuid[]) returns setof sale_sum
language sql stable as $$
  select c.venue_id, local_day(c.answered_at, v.time_zone, v.day_starts), c.currency, 0, 0, 0, 0, 0, 0, given_in_sale(s, c),
    case when s.status = 'applied' then -c.loyalty_discount_total else 0 end
  from unnest(p_sales) i (id)
  join sale s on s.calculation_id = i.id
  join calculation c on c.calculation_id = i.id
  left join venue v on v.venue_id = c.venue_id
  where is_redeemed(s, c)
$$;

-- True when the basket was charged as answered, by no repeated transaction.
create or replace function is_redeemed(p_sale sale, p_calculation calculation) returns boolean
language sql immutable as $$
  select settled_status(p_sale) = 'applied' or (settled_status(p_sale) = 'unchanged' and p_calculation.status = 'unchanged')
$$;

create or replace function given_in_sale(p_sale sale, p_calculation calculation) returns bigint
language sql immutable as $$
  select case when is_redeemed(p_sale, p_calculation) then
    coalesce((select sum((g ->> 1)::bigint) from json_array_elements(p_calculation.gave::json) g), 0)::bigint
  else 0 end
$$;

create or replace function benefit_figures(p_sales uuid[])
returns table (
  venue_id text, day date, benefit_id text, currency text, calculations bigint, redemptions bigint, discount bigint, paid bigint
)
language sql stable as $$
  select g.venue_id, g.day, g.benefit_id, g.currency, count(*), count(*) filter (where g.redeemed),
    coalesce(sum(g.discount) filter (where g.redeemed), 0)::bigint, coalesce(sum(g.paid) filter (where g.redeemed), 0)::bigint
  from given_by_sales(p_sales) g
  group by g.day, g.venue_id, g.benefit_id, g.currency
$$;

-- Rows that sales add to value_sum, by day and venue: given by rules at settlement, and costs of benefits. Claims do not count.
create or replace function value_figures(p_sales uuid[])
returns table (venue_id text, day date, source_id text, currency_id text, earned bigint, spent bigint)
language sql stable as $$
  select f.venue_id, f.day, f.source_id, f.currency_id, sum(f.earned)::bigint, sum(f.spent)::bigint
  from (
    select local_day(coalesce(c.answered_at, s.recorded_at), v.time_zone, v.day_starts) as day, coalesce(c.venue_id, s.venue_id, '') as venue_id,
      e.rule_id as source_id, a.currency_id, e.given as earned, 0 as spent
    from unnest(p_sales) i (id)
    join sale s on s.calculation_id = i.id
    join earned e on e.calculation_id = i.id
    join account a on a.account_id = e.account_id
    left join calculation c on c.calculation_id = i.id
    left join venue v on v.venue_id = coalesce(c.venue_id, s.venue_id)
    where s.claimed_at is null
    union all
    select g.day, g.venue_id, g.benefit_id, g.cost_currency, 0, g.cost
    from given_by_sales(p_sales) g
    where g.redeemed and g.cost > 0
  ) f
  group by f.day, f.venue_id, f.source_id, f.currency_id
$$;

-- A row for each benefit of each sale with a calculation. A benefit is redeemed where the basket was charged as answered, and is
-- no repeated transaction.
create or replace function given_by_sales(p_sales uuid[])
returns table (
  day date, venue_id text, benefit_id text, currency text, redeemed boolean, discount bigint, paid bigint, cost_currency text, cost bigint
)
language sql stable as $$
  select local_day(c.answered_at, v.time_zone, v.day_starts), c.venue_id, g ->> 0, c.currency,
    is_redeemed(s, c), (g ->> 1)::bigint, coalesce(s.paid_total, 0),
    g ->> 2, (g ->> 3)::bigint
  from unnest(p_sales) i (id)
  join sale s on s.calculation_id = i.id
  join calculation c on c.calculation_id = i.id
  left join venue v on v.venue_id = c.venue_id
  cross join lateral json_array_elements(c.gave::json) g
$$;

create or replace function sum_keys(p_venue text, p_day date) returns table (span sum_span, venue_id text, day date)
language sql immutable as $$
  values ('v'::sum_span, p_venue, p_day), ('m', p_venue, date_trunc('month', p_day::timestamp)::date), ('a', '', p_day)
$$;

create or replace function mark_sums(p_at timestamptz) returns void
language sql as $$
  update sums_state set next_at = p_at, next_xid = pg_current_xact_id()
$$;

-- Adds the members who got benefits in sales to benefit_reach; as the benefit '' they got any. A day before the last two on which a member
-- got it is passed over: a POS reports its sales within a day.
create or replace function add_reach(p_sales uuid[]) returns void
language plpgsql as $$
declare
  v_members text[];
  v_benefits text[];
  v_days date[];
  v_times bigint[];
  v_day date;
begin
  select array_agg(r.member_id), array_agg(r.benefit_id), array_agg(r.day), array_agg(r.times)
  into v_members, v_benefits, v_days, v_times
  from (
    select c.member_id, b.benefit_id, g.day, count(*) as times
    from calculation c cross join lateral given_by_sales(array[c.calculation_id]) g
    cross join lateral (values (g.benefit_id), ('')) b (benefit_id)
    where c.calculation_id = any (p_sales) and c.member_id is not null and g.redeemed
    group by c.member_id, b.benefit_id, g.day
  ) r;
  for v_day in select distinct d.day from unnest(v_days) d (day) order by d.day loop
    with got as materialized (
      select r.member_id, r.benefit_id, r.times, m.last_day, m.day_before, m.last_day is null or v_day > m.last_day
        or (v_day < m.last_day and v_day > coalesce(m.day_before, '-infinity')) as changes
      from unnest(v_members, v_benefits, v_days, v_times) r (member_id, benefit_id, day, times)
      left join benefit_member m on m.member_id = r.member_id collate "C" and m.benefit_id = r.benefit_id collate "C"
      where r.day = v_day
    ), changed as (
      select g.* from got g where g.changes
    ), kept as (
      insert into benefit_member as m (member_id, benefit_id, last_day, day_before, redemptions)
      select g.member_id, g.benefit_id, greatest(v_day, g.last_day), case when not g.changes then g.day_before
        when v_day > g.last_day then g.last_day when v_day < g.last_day then v_day end, g.times
      from got g order by g.member_id, g.benefit_id
      on conflict (member_id, benefit_id) do update set last_day = excluded.last_day, day_before = excluded.day_before,
        redemptions = m.redemptions + excluded.redemptions
    ), moved as (
      select c.benefit_id, v_day as day, reach_place(v_day, case when v_day > c.last_day then c.last_day else c.day_before end) as place,
        1 as members
      from changed c
      union all
      -- A day in between: who came again on the last one came again after it.
      select c.benefit_id, c.last_day, reach_place(c.last_day, b.before), b.members
      from changed c cross join lateral (values (c.day_before, -1), (v_day, 1)) b (before, members)
      where v_day < c.last_day
    ), sums as (
      select m.benefit_id, m.day, coalesce(m.place, 0) as place, sum(m.members)::bigint as members
      from moved m group by m.benefit_id, m.day, coalesce(m.place, 0)
    )
    insert into benefit_reach as r (benefit_id, day, first, again)
    select s.benefit_id, s.day, coalesce(sum(s.members) filter (where s.place = 0), 0),
      add_places('{}', coalesce(array_agg(s.place) filter (where s.place > 0), '{}'), array_agg(s.members) filter (where s.place > 0))
    from sums s group by s.benefit_id, s.day
    order by s.day, s.benefit_id
    on conflict (day, benefit_id) do update set first = r.first + excluded.first,
      again = add_places(r.again, array(select generate_subscripts(excluded.again, 1)), array(select unnest(excluded.again)));
  end loop;
end
$$;

create or replace function reach_place(p_day date, p_before date) returns integer
language sql immutable as $$
  select case when p_day - p_before <= 400 then p_day - p_before else 0 end
$$;

-- Both lists are read from 1 on.
create or replace function add_places(p_counts bigint[], p_places integer[], p_more bigint[]) returns bigint[]
language plpgsql immutable as $$
begin
  for v_at in 1 .. cardinality(p_places) loop
    p_counts[p_places[v_at]] := coalesce(p_counts[p_places[v_at]], 0) + coalesce(p_more[v_at], 0);
  end loop;
  return p_counts;
end
$$;
