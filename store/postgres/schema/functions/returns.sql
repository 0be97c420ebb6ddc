-- Records a return of a sale: arguments and replies as of make_return.
create or replace function change_return(
  p_by change_context, p_digest bytea, p_calculation uuid, p_lines text, p_kept_refund bigint, p_reference text,
  p_occurred_at timestamptz
) returns json
language plpgsql as $$
declare
  v_reply json := claim_request(p_by, p_digest);
begin
  if v_reply is not null then
    return v_reply;
  end if;
  v_reply := make_return(p_by, p_calculation, p_lines, p_kept_refund, p_reference, p_occurred_at);
  return case when v_reply ->> 'kind' = 'done' then store_reply(p_by, v_reply) else free_request(p_by, v_reply) end;
end
$$;

-- The reply of a return that is made and rolled back, so that a quote never differs from the return.
create or replace function quote_return(p_calculation uuid, p_lines text) returns json
language plpgsql as $$
declare
  v_reply json;
begin
  begin
    v_reply := make_return(row('', '', null)::change_context, p_calculation, p_lines, null, '', clock_timestamp());
    raise exception 'quoted' using errcode = 'LY004';
  exception when sqlstate 'LY004' then
    null;
  end;
  return v_reply;
end
$$;

-- Records a return of a sale and moves its value.
--   p_lines        JSON array of [position in the ladder, thousandths], ascending, each once, each above 0
--   p_kept_refund  as of sale_return
--   p_reference    recorded once per calculation
-- Replies
--   {"kind":"done", ...} as of return_summary; also where the reference was recorded with the same lines
--   {"kind":"too_much","place","left"}  the first of p_lines of which less is left to return, from 0, and how much
--   {"kind":"out_of_range"}             what is given back has no room
--   {"kind":"no_ladder"}, {"kind":"reference_conflict"}
create or replace function make_return(
  p_by change_context, p_calculation uuid, p_lines text, p_kept_refund bigint, p_reference text, p_occurred_at timestamptz
) returns json
language plpgsql as $$
declare
  v_member text := lock_buyer(p_calculation);
  v_ladder json;
  v_return sale_return;
  v_before bigint[];
  v_after bigint[];
  v_reply json;
  v_accounts bigint[];
  v_snapshots text[];
begin
  select l.ladder into v_ladder from sale_ladder l where l.calculation_id = p_calculation for update;
  if not found then
    return '{"kind":"no_ladder"}';
  end if;
  -- A claim that was waited for has given the sale a member. Nobody who keeps others from a member waits for a ladder.
  v_member := coalesce(v_member, lock_buyer(p_calculation));
  select r.* into v_return from sale_return r where r.calculation_id = p_calculation and r.reference = p_reference;
  if found then
    return case when v_return.lines = p_lines then return_summary(v_return) else '{"kind":"reference_conflict"}' end;
  end if;
  v_before := returned_lines(p_calculation, v_ladder);
  v_reply := too_much(v_ladder, v_before, p_lines::json);
  if v_reply is not null then
    return v_reply;
  end if;
  v_after := added_lines(v_before, p_lines::json);

  perform lock_accounts(array_agg(a.member_id), array_agg(a.currency_id))
  from buyer_accounts(p_calculation) a having count(*) > 0;
  if v_member is not null and exists (
    select from spent_due(p_calculation, v_ladder, v_before, v_after) d where d.amount > account_room(d.account_id, true)
  ) then
    return '{"kind":"out_of_range"}';
  end if;
  v_accounts := array(select a.account_id from buyer_accounts(p_calculation) a);
  v_snapshots := array(select account_snapshot(n.id) from unnest(v_accounts) with ordinality n (id, place) order by n.place);
  insert into sale_return (calculation_id, reference, lines, refund, kept_refund, occurred_at, actor)
  values (
    p_calculation, p_reference, p_lines, refund_total(v_ladder, v_after) - refund_total(v_ladder, v_before), p_kept_refund,
    p_occurred_at, p_by.actor
  )
  returning * into v_return;
  update sale_return r set taken_back = s.taken_back, given_back = s.given_back
  from settle_return(v_return, v_ladder, v_before, v_after, v_member) s
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

-- Moves the value of a return, in one movement: first what was spent comes back, then what was earned is taken back. The accounts of a
-- forgotten member (p_member null) stay empty: all is forgiven.
--   p_before, p_after  thousandths by line of the ladder, without this return and with it
-- Replies JSON arrays of {currencyId, amount, debt, forgiven}, by currency. The caller holds the ladder and the accounts.
create or replace function settle_return(
  p_return sale_return, p_ladder json, p_before bigint[], p_after bigint[], p_member text, out taken_back json, out given_back json
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
    select d.* from spent_due(p_return.calculation_id, p_ladder, p_before, p_after) d where d.amount > 0 order by d.currency_id
  loop
    if p_member is null then
      v_rows := v_rows || returned_value_json(v_due.currency_id, 0, 0, v_due.amount);
      continue;
    end if;
    if v_movement.movement_id is null then
      v_movement := add_movement('returned', 'return:' || p_return.return_id, '', p_return.actor);
    end if;
    v_debt := give_back(v_movement, v_due.account_id, v_due.held_by, v_due.before, v_due.amount);
    v_rows := v_rows || returned_value_json(v_due.currency_id, v_due.amount, v_debt, 0);
  end loop;
  given_back := array_to_json(v_rows);
  v_rows := '{}';
  for v_due in
    select a.account_id, a.currency_id, min(u.on_return) as on_return, sum(u.amount)::bigint as amount
    from uncount_sale(p_return.calculation_id, p_ladder, p_after) u
    join account a on a.account_id = u.account_id
    group by a.account_id
    order by a.currency_id
  loop
    if p_member is null then
      select 0::bigint as taken, 0::bigint as debt, v_due.amount as forgiven into v_back;
    else
      select * into v_back
      from take_back(v_due.account_id, p_return.calculation_id, v_due.on_return, v_due.amount);
    end if;
    v_rows := v_rows || returned_value_json(v_due.currency_id, v_back.taken + v_back.debt, v_back.debt, v_back.forgiven);
    continue when v_back.taken + v_back.debt = 0;
    if v_movement.movement_id is null then
      v_movement := add_movement('returned', 'return:' || p_return.return_id, '', p_return.actor);
    end if;
    perform add_entry(v_movement, v_due.account_id, 'issued', -(v_back.taken + v_back.debt));
  end loop;
  taken_back := array_to_json(v_rows);
end
$$;

-- The thousandths that were returned of each line of a sale's ladder.
create or replace function returned_lines(p_calculation uuid, p_ladder json) returns bigint[]
language sql stable as $$
  select added_lines(
    array_fill(0::bigint, array[json_array_length(p_ladder -> 'lines')]),
    (
      select coalesce(json_agg(l.line), '[]')
      from sale_return r cross join json_array_elements(r.lines::json) l (line)
      where r.calculation_id = p_calculation
    )
  )
$$;

-- Adds lines of a return ([position in the ladder, thousandths]) to what was returned of each line before.
create or replace function added_lines(p_returned bigint[], p_lines json) returns bigint[]
language sql immutable as $$
  select coalesce(array_agg(b.returned + coalesce(l.quantity, 0) order by b.place), '{}')
  from unnest(p_returned) with ordinality b (returned, place)
  left join (
    select (l.line ->> 0)::bigint + 1 as place, sum((l.line ->> 1)::bigint)::bigint as quantity
    from json_array_elements(p_lines) l (line) group by 1
  ) l on l.place = b.place
$$;

-- The reply too_much of make_return; null: each line has enough left.
create or replace function too_much(p_ladder json, p_returned bigint[], p_lines json) returns json
language sql immutable as $$
  select json_build_object('kind', 'too_much', 'place', l.place - 1, 'left', l.left)
  from (
    select n.place, (n.line ->> 1)::bigint as quantity,
      (p_ladder -> 'lines' -> (n.line ->> 0)::integer ->> 1)::bigint - p_returned[(n.line ->> 0)::integer + 1] as left
    from json_array_elements(p_lines) with ordinality n (line, place)
  ) l
  where l.quantity > l.left
  order by l.place
  limit 1
$$;

-- Protects the member whose accounts a sale moved from being forgotten until the end of the transaction. Replies its id; null: there is
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

-- The accounts that a sale moved.
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

-- Where the returns of a sale stand.
--   {"kind":"laddered","ladder","returned","refunded"}  thousandths and minor units by line of the ladder
--   {"kind":"sold","sale":{"asReturned","paidTotal","spending"}}
--     no ladder is stored yet; paidTotal: where less than the net was paid; spending: what it used, as of calculation.spending
--   {"kind":"not_sold"}  nothing was charged, it repeats a transaction, or it failed before its calculation was known
--   {"kind":"unknown_calculation"}
create or replace function return_state(p_calculation uuid) returns json
language plpgsql stable as $$
declare
  v_ladder json := (select l.ladder from sale_ladder l where l.calculation_id = p_calculation);
  v_returned bigint[];
  v_calculation calculation;
  v_sale sale;
begin
  if v_ladder is not null then
    v_returned := returned_lines(p_calculation, v_ladder);
    return json_build_object('kind', 'laddered', 'ladder', v_ladder, 'returned', v_returned, 'refunded', (
      select json_agg(div(v_returned[l.place] * (l.line ->> 2)::numeric, (l.line ->> 1)::numeric) order by l.place)
      from json_array_elements(v_ladder -> 'lines') with ordinality as l (line, place)
    ));
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
    )
  ));
end
$$;

-- A return as the reply of its call; times in milliseconds, recordedAtUs in microseconds. `lines` as of sale_return.
create or replace function return_summary(p_return sale_return) returns json
language sql stable as $$
  select json_build_object(
    'kind', 'done', 'returnId', p_return.return_id, 'calculationId', p_return.calculation_id, 'reference', p_return.reference,
    'lines', p_return.lines::json, 'refund', p_return.refund, 'keptRefund', p_return.kept_refund,
    'takenBack', p_return.taken_back::json, 'givenBack', p_return.given_back::json, 'occurredAt', milliseconds(p_return.occurred_at),
    'recordedAt', milliseconds(p_return.recorded_at), 'recordedAtUs', microseconds(p_return.recorded_at), 'actor', p_return.actor
  )
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
