-- The refund of what was returned (thousandths by line): of k of a line `floor(k x net / quantity)`, so every split sums to the same.
create or replace function refund_total(p_ladder json, p_returned bigint[]) returns bigint
language sql immutable as $$
  select coalesce(sum(div(p_returned[l.place] * (l.line ->> 2)::numeric, (l.line ->> 1)::numeric)), 0)::bigint
  from json_array_elements(p_ladder -> 'lines') with ordinality as l (line, place)
$$;

-- What comes back of a sale's spending once so much (thousandths by line) was returned, by currency (4-member-value 5 and 9). Of a line the
-- units that no benefit discounted are returned first, then those of its costed benefits in turn; a benefit on all units of a line counts
-- by itself. A cost for each unit comes back with the unit, any other when all that the benefit discounted was returned.
create or replace function restored_spending(p_ladder json, p_returned bigint[])
returns table (currency_id text, amount bigint)
language sql immutable as $$
  with line as (
    select l.place - 1 as at, case when q.quantity % 1000 = 0 then q.quantity / 1000 else 1 end as units,
      case when q.quantity % 1000 = 0 then p_returned[l.place] / 1000 else (p_returned[l.place] = q.quantity)::integer end as returned
    from json_array_elements(p_ladder -> 'lines') with ordinality as l (line, place)
    cross join lateral (select (l.line ->> 1)::bigint as quantity) q
  ), spent as (
    select s.* from rows from (
      json_to_recordset(p_ladder -> 'spent') as ("currencyId" text, per text, amount bigint, times bigint, lines json)
    ) with ordinality as s (currency_id, per, amount, times, lines, place)
  ), discounted as (
    select s.place, u.units, l.units - u.units as others, l.returned,
      sum(u.units) filter (where u.units < l.units) over (partition by l.at) as partial,
      sum(u.units) filter (where u.units < l.units) over (partition by l.at order by s.place) as partial_so_far
    from spent s
    cross join lateral json_array_elements(s.lines) as n (line)
    join line l on l.at = (n.line ->> 0)::bigint
    cross join lateral (select least(l.units, (n.line ->> 1)::bigint) as units) u
  ), back as (
    select d.place, d.units, case
      when d.others = 0 then least(d.units, d.returned)
      else greatest(0, least(d.units, d.returned - greatest(0, d.units + d.others - d.partial) - (d.partial_so_far - d.units)))
    end as returned
    from discounted d
  ), sums as (
    select b.place, sum(b.returned) as returned, bool_and(b.returned = b.units) as is_all from back b group by b.place
  )
  select s.currency_id, sum(case
    when s.per = 'unit' then s.amount * least(s.times, coalesce(b.returned, 0))
    when coalesce(b.is_all, not anything_kept(p_ladder, p_returned)) then s.amount * s.times
    else 0
  end)::bigint
  from spent s left join sums b on b.place = s.place
  group by s.currency_id
$$;

-- What a return gives back of what its sale used, by account, with the calculation that held it and what came back before.
create or replace function spent_due(p_calculation uuid, p_ladder json, p_before bigint[], p_after bigint[])
returns table (account_id bigint, currency_id text, held_by uuid, before bigint, amount bigint)
language sql stable as $$
  select a.account_id, a.currency_id, h.calculation_id, least(h.amount, o.amount), least(h.amount, n.amount) - least(h.amount, o.amount)
  from used_holds(p_calculation) h
  join account a on a.account_id = h.account_id
  join restored_spending(p_ladder, p_before) o on o.currency_id = a.currency_id
  join restored_spending(p_ladder, p_after) n on n.currency_id = a.currency_id
$$;

-- The holds that a sale has used: those of its calculation, or of the one whose discounts its basket carried as sent.
create or replace function used_holds(p_calculation uuid) returns setof value_hold
language sql stable as $$
  select h.* from value_hold h
  where h.calculation_id = p_calculation and h.used_by is null and h.state in ('used', 'late')
  union all
  select h.* from value_hold h where h.used_by = p_calculation
$$;

-- Whether a unit of a line that had an amount due was not returned.
create or replace function anything_kept(p_ladder json, p_returned bigint[]) returns boolean
language sql immutable as $$
  select exists (
    select from json_array_elements(p_ladder -> 'lines') with ordinality as l (line, place)
    where (l.line ->> 3)::bigint > 0 and p_returned[l.place] < (l.line ->> 1)::bigint
  )
$$;

-- What each rule counts of what was kept of a sale (4-member-value 5): of a line its net less what was returned of it, of units those
-- that were not given free are returned first, a visit until everything is returned; nothing below the minimum spend.
create or replace function kept_counts(p_ladder json, p_returned bigint[])
returns table (place bigint, rule_id text, on_return text, counted bigint)
language sql immutable as $$
  with line as (
    select l.place - 1 as at, (l.line ->> 2)::bigint - div(p_returned[l.place] * (l.line ->> 2)::numeric, (l.line ->> 1)::numeric) as net,
      case when (l.line ->> 1)::bigint % 1000 = 0
        then greatest(0, (l.line ->> 1)::bigint / 1000 - (l.line ->> 4)::bigint - p_returned[l.place] / 1000)
        else 0
      end as units
    from json_array_elements(p_ladder -> 'lines') with ordinality as l (line, place)
  )
  select r.place, r."ruleId", coalesce(r."onReturn", 'to_zero'), case
    when r."minimumSpend" > (
      select coalesce(sum(l.net), 0) from json_array_elements_text(r.spending) s (at) join line l on l.at = s.at::bigint
    ) then 0
    when r.per = 'visit' then anything_kept(p_ladder, p_returned)::integer
    else (
      select coalesce(sum(case when r.per = 'amount' then l.net else l.units end), 0)
      from json_array_elements_text(r.lines) s (at) join line l on l.at = s.at::bigint
    )
  end::bigint
  from rows from (
    json_to_recordset(p_ladder -> 'rules') as (
      "ruleId" text, per text, "onReturn" text, "minimumSpend" bigint, spending json, lines json
    )
  ) with ordinality as r ("ruleId", per, "onReturn", "minimumSpend", spending, lines, place)
$$;

-- Takes what was returned of a sale out of what its rules counted, and replies what is to be taken back from each account. A total T falls
-- to T', and give x (floor(T / n) - floor(T' / n)) is taken back, at most what the rule has given this member and not taken back; of a rule
-- with a maximum or a cooldown, and of a visit, at most what this sale was given. The caller holds the ladder and the accounts.
create or replace function uncount_sale(p_calculation uuid, p_ladder json, p_returned bigint[])
returns table (account_id bigint, on_return text, amount bigint)
language plpgsql as $$
#variable_conflict use_column
declare
  v_all bigint[] := array_fill(0::bigint, array[cardinality(p_returned)]);
  v_rule record;
  v_total earned_total;
  v_out numeric;
  v_taken numeric;
begin
  for v_rule in
    -- What was counted is not what the ladder counts where a sale was joined, or scaled, without its basket: then in proportion.
    select e.*, r.give, r.per, r.every::numeric * 10000 as step, coalesce(k.on_return, 'to_zero') as on_return, k.place, case
      when a.counted > 0 then div(e.counted::numeric * k.counted, a.counted)
      when anything_kept(p_ladder, p_returned) then e.counted
      else 0
    end as kept
    from earned e
    join value_rule r on r.rule_id = e.rule_id
    left join kept_counts(p_ladder, v_all) a on a.rule_id = e.rule_id
    left join kept_counts(p_ladder, p_returned) k on k.rule_id = e.rule_id
    where e.calculation_id = p_calculation
    order by k.place, e.rule_id
  loop
    v_out := v_rule.counted - v_rule.returned - v_rule.kept;
    continue when v_out <= 0;
    select t.* into strict v_total from earned_total t
    where t.account_id = v_rule.account_id and t.rule_id = v_rule.rule_id;
    v_taken := least(
      case when v_rule.per = 'visit' then v_rule.given else
        v_rule.give * (div(v_total.total, v_rule.step) - div(v_total.total - v_out * v_rule.factor, v_rule.step))
      end,
      case when v_rule.per = 'visit' or v_rule.is_limited then greatest(0, v_rule.given - v_rule.taken) end,
      v_total.given - v_total.taken
    );
    update earned e set returned = e.returned + v_out, taken = e.taken + v_taken
    where e.calculation_id = p_calculation and e.rule_id = v_rule.rule_id;
    update earned_total t set total = t.total - v_out * v_rule.factor, taken = t.taken + v_taken
    where t.account_id = v_rule.account_id and t.rule_id = v_rule.rule_id;
    continue when v_taken = 0;
    account_id := v_rule.account_id;
    on_return := v_rule.on_return;
    amount := v_taken;
    return next;
  end loop;
end
$$;

-- Takes value that a sale earned back from an account, which the caller holds: from this sale's pending lots, then from pending, then from
-- available ones, of each the lot that expires last first. Of the shortage, as much as open calculations hold and is not set against a
-- debt yet becomes debt; the rest too with `debt`, else it is forgiven. `pending_only` never touches what is available, and makes no
-- debt. The caller adds the entry of -(taken + debt).
create or replace function take_back(
  p_account bigint, p_calculation uuid, p_on_return text, p_amount bigint,
  out taken bigint, out debt bigint, out forgiven bigint
)
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_lot lot;
  v_part bigint;
begin
  taken := 0;
  for v_lot in
    select l.* from lot l
    where l.account_id = p_account and l.amount > l.held and (p_on_return <> 'pending_only' or l.opens_at > v_now)
    order by l.opens_at > v_now and l.calculation_id is not distinct from p_calculation desc, l.opens_at > v_now desc,
      l.expires_at desc, l.lot_id desc
  loop
    exit when taken = p_amount;
    v_part := least(p_amount - taken, v_lot.amount - v_lot.held);
    delete from lot l where l.lot_id = v_lot.lot_id and l.amount = v_part;
    update lot l set amount = l.amount - v_part where l.lot_id = v_lot.lot_id;
    taken := taken + v_part;
  end loop;
  debt := case p_on_return
    when 'debt' then p_amount - taken
    when 'pending_only' then 0
    else least(p_amount - taken, (
      select greatest(0, coalesce(sum(l.held), 0) - a.debt)
      from account a left join lot l on l.account_id = a.account_id
      where a.account_id = p_account group by a.account_id
    ))
  end;
  update account a set debt = a.debt + take_back.debt where a.account_id = p_account and take_back.debt > 0;
  forgiven := p_amount - taken - debt;
end
$$;

-- Gives back to an account what a sale used of it, in the order in which it was taken last, and adds the entry. It comes back with its old
-- expiry, or 30 days from now where that has passed or is nearer, or where it was taken as debt. It pays debt first: replies how much.
--   p_calculation       which held it
--   p_before, p_amount  what came back before, and now
create or replace function give_back(
  p_movement movement, p_account bigint, p_calculation uuid, p_before bigint, p_amount bigint
) returns bigint
language plpgsql as $$
declare
  v_now timestamptz := (p_movement).at;
  v_skipped bigint := p_before;
  v_left bigint := p_amount;
  v_rest bigint;
  v_paid bigint := 0;
  v_part record;
  v_taken bigint;
begin
  perform add_entry(p_movement, p_account, 'redeemed', p_amount);
  for v_part in
    select p.place, p.amount, p.expires_at from value_hold_part p
    where p.calculation_id = p_calculation and p.account_id = p_account
    union all
    -- What became debt has no part.
    select 2147483647, h.amount - coalesce((
      select sum(p.amount) from value_hold_part p where p.calculation_id = p_calculation and p.account_id = p_account
    ), 0)::bigint, v_now
    from value_hold h where h.calculation_id = p_calculation and h.account_id = p_account
    order by 1 desc
  loop
    v_taken := least(v_left, greatest(0, v_part.amount - v_skipped));
    v_skipped := greatest(0, v_skipped - v_part.amount);
    v_left := v_left - v_taken;
    v_rest := pay_debt(p_account, v_taken);
    v_paid := v_paid + v_taken - v_rest;
    perform fill_lots(v_now, array[
      row (p_account, v_rest, v_now, greatest(v_part.expires_at, v_now + interval '720 hours'))::value_credit
    ]);
  end loop;
  if v_left > 0 then
    raise exception 'calculation % used % less of account %', p_calculation, v_left, p_account;
  end if;
  return v_paid;
end
$$;

-- What a return moved of a currency, as its replies have it.
create or replace function returned_value_json(p_currency text, p_amount bigint, p_debt bigint, p_forgiven bigint) returns json
language sql immutable as $$
  select json_build_object('currencyId', p_currency, 'amount', p_amount, 'debt', p_debt, 'forgiven', p_forgiven)
$$;
