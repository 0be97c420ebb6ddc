-- Recounts the next counters, and after the last counter the next accounts, at most once in p_pause over all gateways.
--   p_budget   no further counter or account is started after this time
--   p_rows     reservations of one counter, or entries of one account, at most; one with more is passed over
--   differing  the differences of this slice
create or replace function recount_slice(p_pause interval, p_budget interval, p_rows integer, out differing text[])
language plpgsql as $$
declare
  v_began timestamptz := clock_timestamp();
  v_state recount;
  v_counter bigint;
  v_account bigint;
  v_passed_over boolean;
  v_difference text;
begin
  differing := '{}';
  if not pg_try_advisory_xact_lock(hashtextextended('loyalty recount', 0)) then
    return;
  end if;
  select r.* into strict v_state from recount r;
  if v_state.sliced_at > v_began - p_pause then
    return;
  end if;
  loop
    select k.counter_id into v_counter from limit_counter k
    where k.counter_id >= v_state.next_counter order by k.counter_id limit 1;
    if v_counter is null then
      select a.account_id into v_account from account a
      where a.account_id >= v_state.next_account order by a.account_id limit 1;
    end if;
    exit when v_counter is null and v_account is null or clock_timestamp() > v_began + p_budget;
    if v_counter is null then
      select t.passed_over, t.difference into v_passed_over, v_difference from recount_account(v_account, p_rows) t;
      v_state.accounts := v_state.accounts + 1;
      v_state.next_account := v_account + 1;
    else
      select t.passed_over, t.difference into v_passed_over, v_difference from recount_counter(v_counter, p_rows) t;
      v_state.counters := v_state.counters + 1;
      v_state.next_counter := v_counter + 1;
    end if;
    v_state.passed_over := v_state.passed_over + v_passed_over::integer;
    if v_difference is not null then
      v_state.differences := v_state.differences + 1;
      differing := differing || v_difference;
    end if;
  end loop;
  if v_counter is null and v_account is null then
    v_state.ended_at := clock_timestamp();
    v_state.last_counters := v_state.counters;
    v_state.last_accounts := v_state.accounts;
    v_state.last_differences := v_state.differences;
    v_state.last_passed_over := v_state.passed_over;
    v_state.next_counter := 0;
    v_state.next_account := 0;
    v_state.counters := 0;
    v_state.accounts := 0;
    v_state.differences := 0;
    v_state.passed_over := 0;
  end if;
  update recount r set
    next_counter = v_state.next_counter, next_account = v_state.next_account, counters = v_state.counters,
    accounts = v_state.accounts, differences = v_state.differences,
    passed_over = v_state.passed_over, sliced_at = clock_timestamp(), ended_at = v_state.ended_at,
    last_counters = v_state.last_counters, last_accounts = v_state.last_accounts, last_differences = v_state.last_differences,
    last_passed_over = v_state.last_passed_over;
end
$$;

-- Compares one counter with its reservations, in one snapshot. Units of deleted calculations (pruned_*) are added.
--   passed_over  it has more than p_rows reservations; nothing was compared
--   difference   text with both sides; null: no difference
create or replace function recount_counter(p_counter bigint, p_rows integer, out passed_over boolean, out difference text)
language sql volatile as $$
  select d.rows > p_rows, case
    when d.rows <= p_rows and (k.open, k.used, k.late) <> (d.open, d.used + k.pruned_used, d.late + k.pruned_late) then
      format('%s|%s|%s: open %s, used %s, late %s; by the records open %s, used %s, late %s',
        k.limit_id, k.subject, k.period, k.open, k.used, k.late, d.open, d.used + k.pruned_used, d.late + k.pruned_late)
  end
  from limit_counter k, lateral (
    select count(*) as rows,
      coalesce(sum(e.units) filter (where e.due = 'open'), 0)::bigint as open,
      coalesce(sum(e.units) filter (where e.due = 'used'), 0)::bigint as used,
      coalesce(sum(e.units) filter (where e.due = 'late'), 0)::bigint as late
    from (
      select r.units, due_state(r, c, s) as due
      from (
        select * from reservation o where o.counter_id = p_counter and o.units > 0 limit p_rows + 1
      ) o
      join reservation r on r.calculation_id = o.calculation_id and r.counter_id = o.counter_id
      left join calculation c on c.calculation_id = r.calculation_id
      left join sale s on s.calculation_id = r.calculation_id
    ) e
  ) d
  where k.counter_id = p_counter
$$;

-- The state that a reservation must have according to its calculation and its sale. An expired one may still be open: it is released
-- when its units are needed.
create or replace function due_state(p_reservation reservation, p_calculation calculation, p_sale sale) returns reservation_state
language sql volatile as $$
  select case
    when p_calculation.state = 'open' then
      case when p_reservation.state = 'open' or p_calculation.expires_at > clock_timestamp() then 'open' else 'released' end
    when settled_status(p_sale) = 'applied' or (settled_status(p_sale) = 'unchanged' and p_calculation.status = 'unchanged') then
      case
        when p_calculation.state = 'finalised' then 'used'
        when p_calculation.state in ('expired', 'superseded') then 'late'
        else 'released'
      end
    else 'released'
  end::reservation_state
$$;

-- Compares one account, in one snapshot: with its entries, its transfers with their other side, the totals of earning rules with the
-- sales that they counted, less returns, and its holds and uses with the calculations that spent it. As recount_counter.
create or replace function recount_account(p_account bigint, p_rows integer, out passed_over boolean, out difference text)
language sql volatile as $$
  select greatest(d.rows, c.rows, u.rows) > p_rows, case
    when greatest(d.rows, c.rows, u.rows) > p_rows then null
    when h.amount - a.debt <> d.amount then
      format('account %s of %s: lots %s, debt %s; by the entries %s', p_account, a.currency_id, h.amount, a.debt, d.amount)
    when d.lopsided > 0 then
      format('account %s of %s: %s transfers do not sum to zero', p_account, a.currency_id, d.lopsided)
    when c.given <> t.given or c.taken <> t.taken then
      format(
        'account %s of %s: rules gave %s and took back %s; by the sales %s and %s', p_account, a.currency_id, t.given, t.taken, c.given,
        c.taken
      )
    when c.total <> t.total then
      format('account %s of %s: rules counted %s; by the sales %s', p_account, a.currency_id, t.total, c.total)
    when h.held <> u.held then
      format('account %s of %s: lots hold %s; by the calculations %s', p_account, a.currency_id, h.held, u.held)
    when a.merged_into is null and d.used + u.used <> 0 then
      format('account %s of %s: sales used %s; by the calculations %s', p_account, a.currency_id, -d.used, u.used)
    when u.astray > 0 then
      format('account %s of %s: %s calculations hold or used what their sales do not say', p_account, a.currency_id, u.astray)
  end
  from account a, lateral (
    select coalesce(sum(l.amount), 0)::bigint as amount, coalesce(sum(l.held), 0)::bigint as held from lot l where l.account_id = p_account
  ) h, lateral (
    select count(*) as rows, coalesce(sum(e.amount) filter (where e.account_id = p_account), 0)::bigint as amount,
      coalesce(sum(e.amount) filter (where e.against = 'redeemed' and (
        select m.kind from movement m where m.movement_id = e.movement_id
      ) = 'used'), 0)::bigint as used,
      count(*) filter (where e.account_id = p_account and e.against = 'transferred' and (
        select sum(o.amount) from entry o where o.movement_id = e.movement_id and o.against = 'transferred'
      ) <> 0) as lopsided
    -- Uses of accounts that were merged into it are listed with it.
    from (
      select r.* from (
        select p_account as account_id union all select m.account_id from account m where m.merged_into = p_account
      ) o join entry r on r.account_id = o.account_id
      limit p_rows + 1
    ) e
  ) d, lateral (
    select coalesce(sum(r.given - r.completed), 0) as given, coalesce(sum(r.taken), 0) as taken, coalesce(sum(r.total), 0) as total
    from earned_total r where r.account_id = p_account
  ) t, lateral (
    select count(*) as rows, coalesce(sum(s.given), 0) as given, coalesce(sum(s.taken), 0) as taken,
      coalesce(sum((s.counted - s.returned)::numeric * s.factor), 0) as total
    from (select r.* from earned r where r.account_id = p_account limit p_rows + 1) s
  ) c, lateral (
    select count(*) as rows,
      coalesce(sum(o.parts) filter (where o.state = 'open'), 0)::bigint as held,
      coalesce(sum(o.amount) filter (where o.state in ('used', 'late')), 0)::bigint as used,
      count(*) filter (where o.state <> o.due or o.parts > o.amount or (o.state in ('open', 'used') and o.parts <> o.amount)) as astray
    from (
      select v.state, v.amount, due_hold_state(v, n, s) as due, coalesce((
        select sum(p.amount) from value_hold_part p where p.calculation_id = v.calculation_id and p.account_id = v.account_id
      ), 0) as parts
      from (select * from value_hold x where x.account_id = p_account and x.amount > 0 limit p_rows + 1) y
      join value_hold v on v.calculation_id = y.calculation_id and v.account_id = y.account_id
      left join calculation n on n.calculation_id = v.calculation_id
      left join sale s on s.calculation_id = v.calculation_id
    ) o
  ) u
  where a.account_id = p_account
$$;

-- The state that a hold must have, as due_state. A hold whose calculation was deleted stays as it is.
create or replace function due_hold_state(p_hold value_hold, p_calculation calculation, p_sale sale) returns reservation_state
language sql volatile as $$
  select case
    when p_calculation.calculation_id is null then p_hold.state
    when p_hold.used_by is not null then 'late'
    else due_state(row(p_hold.calculation_id, 0, p_hold.amount, p_hold.held_until, p_hold.state)::reservation, p_calculation, p_sale)
  end
$$;
