-- Stores the ladder of a sale; the first one that is stored stays.
--   p_facts  JSON of the facts to price the kept units anew, for which the basket is stored; null: it is not
create or replace function store_ladder(p_calculation uuid, p_ladder text, p_facts text) returns void
language plpgsql as $$
begin
  -- Forgetting its member locks it too, and then deletes the body: a later statement sees that.
  perform 1 from calculation c where c.calculation_id = p_calculation for share;
  insert into sale_ladder (calculation_id, ladder) values (p_calculation, p_ladder) on conflict do nothing;
  if not found or p_facts is null then
    return;
  end if;
  insert into ladder_basket (calculation_id, member_id, packed, facts)
  select c.calculation_id, c.member_id, b.packed, p_facts
  from calculation c join calculation_body b on b.day = c.body_day and b.calculation_id = c.calculation_id
  where c.calculation_id = p_calculation and c.member_id is not null;
end
$$;

create or replace function return_basis(p_calculation uuid) returns json
language sql volatile as $$
  select json_build_object(
    'ladder', l.ladder::json,
    'returns', (
      select coalesce(json_agg(json_build_object('lines', r.lines::json, 'refund', r.refund, 'givenBack', r.given_back::json)
        order by r.return_id), '[]')
      from sale_return r where r.calculation_id = p_calculation
    ),
    'earned', (
      select coalesce(json_agg(json_build_object(
        'ruleId', e.rule_id, 'accountId', e.account_id, 'currencyId', r.currency_id, 'give', r.give, 'per', r.per, 'every', r.every,
        'factor', e.factor, 'counted', e.counted, 'returned', e.returned, 'given', e.given, 'taken', e.taken,
        'isLimited', e.is_limited, 'before', e.before::text, 'total', t.total::text, 'totalGiven', t.given, 'totalTaken', t.taken
      ) order by e.rule_id), '[]')
      from earned e
      join value_rule r on r.rule_id = e.rule_id
      join earned_total t on t.account_id = e.account_id and t.rule_id = e.rule_id
      where e.calculation_id = p_calculation
    ),
    'used', (
      select coalesce(json_agg(json_build_object('currencyId', a.currency_id, 'amount', h.amount) order by a.currency_id), '[]')
      from used_holds(p_calculation) h join account a on a.account_id = h.account_id
    )
  )
  from sale_ladder l where l.calculation_id = p_calculation
$$;

-- The state of a sale for returns.
--   {"kind":"laddered","basis","seen"}  as of return_basis, and its digest
--   {"kind":"sold","sale":{"asReturned","paidTotal","spending","pricedAs"}}
--     no ladder is stored yet; paidTotal: if less than the net was paid; spending: its cost, as of calculation.spending;
--     pricedAs: the calculation by which the kept units are priced anew, null: its lines stay as sent
--   {"kind":"not_sold"}  nothing was charged, it repeats a transaction, or it failed before its calculation was known
--   {"kind":"unknown_calculation"}
create or replace function return_state(p_calculation uuid) returns json
language plpgsql volatile as $$
declare
  v_basis json := return_basis(p_calculation);
  v_calculation calculation;
  v_sale sale;
begin
  if v_basis is not null then
    return json_build_object('kind', 'laddered', 'basis', v_basis, 'seen', md5(v_basis::text));
  end if;
  select c.* into v_calculation from calculation c where c.calculation_id = p_calculation;
  select s.* into v_sale from sale s where s.calculation_id = p_calculation;
  if v_calculation.calculation_id is null and v_sale.calculation_id is null then
    return '{"kind":"unknown_calculation"}';
  end if;
  if v_calculation.calculation_id is null or v_sale.calculation_id is null or v_sale.status = 'cancelled'
    or 'transaction_repeated' = any (v_sale.discrepancies)
    or (v_sale.status = 'failed' and v_sale.result = 'unknown_calculation')
  then
    return '{"kind":"not_sold"}';
  end if;
  return json_build_object('kind', 'sold', 'sale', json_build_object(
    'asReturned', v_sale.status = 'applied' and v_calculation.status = 'applied',
    'paidTotal', case when v_sale.paid_total < charged_net(v_sale, v_calculation) then v_sale.paid_total end,
    'spending', (
      select c.spending from used_holds(p_calculation) h join calculation c on c.calculation_id = h.calculation_id limit 1
    ),
    'pricedAs', case
      when v_sale.status = 'applied' and v_calculation.status = 'applied' then p_calculation
      when v_calculation.carried = 0 or v_calculation.member_id is null then null
      when v_calculation.status = 'unchanged' and v_sale.status in ('applied', 'unchanged') then p_calculation
      else coalesce(carried_from(v_calculation), p_calculation)
    end
  ));
end
$$;

create or replace function change_return(
  p_by change_context, p_calculation uuid, p_lines text, p_reference text, p_occurred_at timestamptz, p_seen text,
  p_plan json
) returns json
language plpgsql as $$
declare
  v_reply json;
begin
  v_reply := make_return(p_by, p_calculation, p_lines, p_reference, p_occurred_at, p_seen, p_plan);
  perform refuse(v_reply) where v_reply ->> 'kind' <> 'done';
  return v_reply;
end
$$;

-- Records a return under the id that its POS gave it, which is its reference and p_by's request id. Arguments and replies as of make_return, and
--   {"kind":"stored"}  nothing written: a return is recorded under this id
create or replace function record_pos_return(
  p_by change_context, p_digest bytea, p_body bytea, p_calculation uuid, p_lines text, p_occurred_at timestamptz, p_seen text,
  p_plan json
) returns json
language plpgsql as $$
declare
  v_id uuid := p_by.request_id;
  v_reply json;
begin
  v_reply := make_return(p_by, p_calculation, p_lines, v_id::text, p_occurred_at, p_seen, p_plan);
  if v_reply ->> 'kind' = 'done' then
    insert into pos_return (pos_return_id, return_id, digest, body) values (v_id, (v_reply ->> 'returnId')::bigint, p_digest, p_body)
    on conflict do nothing;
    if not found then
      raise exception 'a return is recorded under %', v_id using errcode = 'LY008';
    end if;
  end if;
  return v_reply;
exception when sqlstate 'LY008' then
  return '{"kind":"stored"}';
end
$$;

-- The reply of a return that is made and rolled back, so that a quote never differs from the return.
create or replace function quote_return(p_calculation uuid, p_lines text, p_seen text, p_plan json) returns json
language plpgsql as $$
declare
  v_reply json;
begin
  begin
    v_reply := make_return(row('', '', null)::change_context, p_calculation, p_lines, '', clock_timestamp(), p_seen, p_plan);
    raise exception 'quoted' using errcode = 'LY004';
  exception when sqlstate 'LY004' then
    null;
  end;
  return v_reply;
end
$$;

-- Records a return of a sale and moves its value as planned.
--   p_lines      JSON array of [position in the ladder, thousandths], ascending, each once, each above 0
--   p_reference  recorded once per calculation
--   p_seen       digest of the return_basis by which p_plan was made
--   p_plan       JSON of a ReturnPlan of engine/value; null: it was refused
-- Replies
--   {"kind":"done", ...} as of return_summary; also where the reference was recorded with the same lines
--   {"kind":"changed"}       the basis is another one now: plan it again
--   {"kind":"refused"}       there is no plan
--   {"kind":"out_of_range"}  an account has no room for the value given back
--   {"kind":"not_sold"}, {"kind":"reference_conflict"}
create or replace function make_return(
  p_by change_context, p_calculation uuid, p_lines text, p_reference text, p_occurred_at timestamptz, p_seen text, p_plan json
) returns json
language plpgsql as $$
declare
  v_member text := lock_buyer(p_calculation);
  v_return sale_return;
  v_accounts bigint[];
  v_snapshots text[];
begin
  perform 1 from sale_ladder l where l.calculation_id = p_calculation for update;
  if not found then
    return '{"kind":"not_sold"}';
  end if;
  -- A claim that was waited for has given the sale a member. No caller that holds a member waits for a ladder.
  v_member := coalesce(v_member, lock_buyer(p_calculation));
  select r.* into v_return from sale_return r where r.calculation_id = p_calculation and r.reference = p_reference;
  if found then
    return case when v_return.lines = p_lines then return_summary(v_return) else '{"kind":"reference_conflict"}' end;
  end if;
  perform lock_accounts(array_agg(a.member_id), array_agg(a.currency_id))
  from buyer_accounts(p_calculation) a having count(*) > 0;
  if md5(return_basis(p_calculation)::text) <> p_seen then
    return '{"kind":"changed"}';
  end if;
  if p_plan is null then
    return '{"kind":"refused"}';
  end if;
  if v_member is not null and not has_room(p_calculation, p_plan) then
    return '{"kind":"out_of_range"}';
  end if;
  v_accounts := array(select a.account_id from buyer_accounts(p_calculation) a);
  v_snapshots := array(select account_snapshot(n.id) from unnest(v_accounts) with ordinality n (id, place) order by n.place);
  insert into sale_return (calculation_id, reference, lines, refund, line_refunds, as_paid_refund, kept_refund, occurred_at, actor)
  values (
    p_calculation, p_reference, p_lines, (p_plan ->> 'refund')::bigint, (p_plan -> 'lineRefunds')::text,
    (p_plan ->> 'asPaidRefund')::bigint, (p_plan ->> 'keptRefund')::bigint, p_occurred_at, p_by.actor
  )
  returning * into v_return;
  insert into experiment_return (return_id)
  select v_return.return_id from calculation c
  where c.calculation_id = p_calculation and exists (select from experiment_member m where m.member_id = c.member_id);
  perform uncount_rules(p_calculation, p_plan -> 'rules');
  update sale_return r set taken_back = s.taken_back, given_back = s.given_back
  from move_return(p_calculation, 'return:' || v_return.return_id, p_by.actor, v_member, p_plan) s
  where r.return_id = v_return.return_id
  returning r.* into v_return;
  perform announce_tier_of_sale(p_calculation);
  perform add_audit(p_by, 'sale', p_calculation::text, null, json_build_object(
    'returnId', v_return.return_id, 'reference', v_return.reference, 'lines', v_return.lines::json, 'refund', v_return.refund,
    'takenBack', v_return.taken_back::json, 'givenBack', v_return.given_back::json
  )::text);
  perform audit_accounts(p_by, v_accounts, v_snapshots);
  return return_summary(v_return);
end
$$;

create or replace function has_room(p_calculation uuid, p_plan json) returns boolean
language sql volatile as $$
  select not exists (
    select from json_to_recordset(p_plan -> 'back') as b ("currencyId" text, amount bigint)
    join buyer_accounts(p_calculation) a on a.currency_id = b."currencyId"
    where b.amount > account_room(a.account_id, true)
  )
$$;

create or replace function uncount_rules(p_calculation uuid, p_rules json) returns void
language sql as $$
  with uncounted as (
    update earned e set returned = e.returned + r.out, taken = e.taken + r.taken
    from json_to_recordset(p_rules) as r ("ruleId" text, out bigint, taken bigint)
    where e.calculation_id = p_calculation and e.rule_id = r."ruleId"
    returning e.account_id, e.rule_id, r.out * e.factor::numeric as out, r.taken
  )
  update earned_total t set total = t.total - u.out, taken = t.taken + u.taken
  from uncounted u where t.account_id = u.account_id and t.rule_id = u.rule_id
$$;

-- Moves the value of a return, in one movement: first spent value comes back, then earned value is taken back. The accounts of a
-- forgotten member (p_member null) stay empty: all is forgiven.
--   p_plan  JSON of {back: [{currencyId, amount}], takes: [{accountId, onReturn, amount}]}, by currency
-- Replies JSON arrays of {currencyId, amount, debt, forgiven}, by currency. The caller holds the ladder and the accounts.
create or replace function move_return(
  p_calculation uuid, p_cause text, p_actor text, p_member text, p_plan json, out taken_back json, out given_back json
)
language plpgsql as $$
declare
  v_movement movement;
  v_debt bigint;
  v_due record;
  v_back record;
  v_rows json[] := '{}';
begin
  for v_due in
    select a.account_id, a.currency_id, h.calculation_id as held_by, b.amount, b.before
    from json_to_recordset(p_plan -> 'back') as b ("currencyId" text, amount bigint, before bigint)
    join account a on a.currency_id = b."currencyId"
    join used_holds(p_calculation) h on h.account_id = a.account_id
    order by a.currency_id
  loop
    if p_member is null then
      v_rows := v_rows || returned_value_json(v_due.currency_id, 0, 0, v_due.amount);
      continue;
    end if;
    if v_movement.movement_id is null then
      v_movement := add_movement('returned', p_cause, '', p_actor);
    end if;
    v_debt := give_back(v_movement, v_due.account_id, v_due.held_by, v_due.before, v_due.amount);
    v_rows := v_rows || returned_value_json(v_due.currency_id, v_due.amount, v_debt, 0);
  end loop;
  given_back := array_to_json(v_rows);
  v_rows := '{}';
  for v_due in
    select a.account_id, a.currency_id, t."onReturn" as on_return, t.amount
    from json_to_recordset(p_plan -> 'takes') as t ("accountId" bigint, "onReturn" text, amount bigint)
    join account a on a.account_id = t."accountId"
    order by a.currency_id
  loop
    if p_member is null then
      select 0::bigint as taken, 0::bigint as debt, v_due.amount as forgiven into v_back;
    else
      select * into v_back from take_back(v_due.account_id, p_calculation, v_due.on_return, v_due.amount);
    end if;
    v_rows := v_rows || returned_value_json(v_due.currency_id, v_back.taken + v_back.debt, v_back.debt, v_back.forgiven);
    continue when v_back.taken + v_back.debt = 0;
    if v_movement.movement_id is null then
      v_movement := add_movement('returned', p_cause, '', p_actor);
    end if;
    perform add_entry(v_movement, v_due.account_id, 'issued', -(v_back.taken + v_back.debt));
  end loop;
  taken_back := array_to_json(v_rows);
end
$$;

-- Protects the member whose accounts a sale moved from being forgotten until the end of the transaction. Replies its id; null:
-- none, or it is forgotten.
create or replace function lock_buyer(p_calculation uuid) returns text
language plpgsql as $$
declare
  v_name text;
  v_member text;
begin
  loop
    select min(a.member_id) into v_name from buyer_accounts(p_calculation) a;
    v_member := lock_member(v_name, null);
    -- A call that was waited for may have renamed the accounts.
    exit when v_name is not distinct from (select min(a.member_id) from buyer_accounts(p_calculation) a);
  end loop;
  return v_member;
end
$$;

create or replace function buyer_accounts(p_calculation uuid) returns setof account
language sql volatile as $$
  select a.* from account a
  where a.account_id in (
    select e.account_id from earned e where e.calculation_id = p_calculation
    union
    select h.account_id from used_holds(p_calculation) h
  )
  order by a.account_id
$$;

create or replace function return_summary(p_return sale_return) returns json
language sql stable as $$
  select json_build_object(
    'kind', 'done', 'returnId', p_return.return_id, 'calculationId', p_return.calculation_id, 'reference', p_return.reference,
    'lines', p_return.lines::json, 'refund', p_return.refund, 'lineRefunds', p_return.line_refunds::json,
    'asPaidRefund', p_return.as_paid_refund, 'keptRefund', p_return.kept_refund,
    'takenBack', p_return.taken_back::json, 'givenBack', p_return.given_back::json, 'occurredAt', milliseconds(p_return.occurred_at),
    'recordedAt', milliseconds(p_return.recorded_at), 'recordedAtUs', microseconds(p_return.recorded_at), 'actor', p_return.actor
  )
$$;

create or replace function returned_lines(p_return sale_return) returns json
language sql stable as $$
  select json_agg(json_build_array(k.ladder -> 'lines' -> (l.line ->> 0)::integer -> 'lineId', l.line -> 1) order by l.place)
  from (select s.ladder::json as ladder from sale_ladder s where s.calculation_id = p_return.calculation_id) k
  cross join json_array_elements(p_return.lines::json) with ordinality l (line, place)
$$;

-- Leases the next p_max sales for p_lease, the oldest first, to one gateway at a time. Replies those charged without a stored ladder, and
-- the last of all.
--   p_age  of the youngest: a sale may be joined, or become visible, some time after its recorded_at
create or replace function sweep_ladders(p_age interval, p_lease interval, p_max integer, out ids uuid[], out last json)
language plpgsql as $$
declare
  v_sweep ladder_sweep;
begin
  ids := '{}';
  select w.* into v_sweep from ladder_sweep w where w.leased_until < clock_timestamp() for update skip locked;
  if not found then
    return;
  end if;
  with next as (
    select s.* from sale s
    where (s.recorded_at, s.calculation_id) > (v_sweep.recorded_at, v_sweep.calculation_id)
      and s.recorded_at < clock_timestamp() - p_age
    order by s.recorded_at, s.calculation_id
    limit p_max
  )
  select coalesce((
      select array_agg(n.calculation_id order by n.recorded_at, n.calculation_id) from next n
      where n.status <> 'cancelled' and not exists (select from sale_ladder l where l.calculation_id = n.calculation_id)
    ), '{}'), (
      select json_build_object('recordedAtUs', microseconds(n.recorded_at), 'calculationId', n.calculation_id)
      from next n order by n.recorded_at desc, n.calculation_id desc limit 1
    )
  into ids, last;
  update ladder_sweep w set leased_until = clock_timestamp() + p_lease where last is not null;
end
$$;
