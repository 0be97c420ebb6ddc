-- Imports balances, all or none. An import pays no debt, so that control totals hold.
--   p_rows  JSON array of {member_id, loyalty_id, currency_id, amount, opens_at, expires_at, reference}: of member_id and loyalty_id
--           one; amount 1 or more; dates null: now, never; a reference once per currency
-- Replies
--   {"kind":"done"}
--   {"kind":"unknown_member" | "unknown_currency" | "past_expiry" | "already_imported" | "out_of_range","place"}  the first such row, from 0
--   or a reply of take_order; except for done nothing is written. Locks: request id, members, accounts.
create or replace function order_import(p_by change_context, p_order_digest bytea, p_rows json) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_now timestamptz := clock_timestamp();
  v_members text[];
  v_currencies text[];
  v_causes text[];
  v_accounts bigint[];
  v_changed bigint[];
  v_before text[];
  v_place integer;
  v_fault json;
  v_added bigint[];
  v_row record;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  select array_agg(coalesce(
      r.member_id, (select l.member_id from member_loyalty_id l where l.loyalty_id = r.loyalty_id)
    )), array_agg(r.currency_id), array_agg(import_cause(r.currency_id, r.reference))
  into v_members, v_currencies, v_causes
  from json_to_recordset(p_rows) as r (member_id text, loyalty_id text, currency_id text, reference text);
  perform 1 from member m where m.member_id = any (v_members) order by m.member_id for key share;

  v_fault := import_fault(p_rows, v_now, v_members, v_currencies, v_causes);
  if v_fault is not null then
    return drop_order(p_by, v_fault);
  end if;

  perform lock_accounts(v_members, v_currencies);
  v_accounts := array(
    select (select a.account_id from account a where a.member_id = n.member_id and a.currency_id = n.currency_id)
    from unnest(v_members, v_currencies) with ordinality n (member_id, currency_id, place)
    order by n.place
  );
  v_place := first_beyond_room(v_accounts, array(
    select r.amount from json_to_recordset(p_rows) as r (amount bigint)
  ));
  if v_place is not null then
    return drop_order(p_by, json_build_object('kind', 'out_of_range', 'place', v_place));
  end if;
  v_changed := array(select distinct unnest(v_accounts) order by 1);
  v_before := array(select account_snapshot(c.id) from unnest(v_changed) with ordinality c (id, place) order by c.place);

  -- Another import may have used a reference since, or a member whose import it was may have been forgotten.
  v_added := add_imports(v_causes, p_by.actor);
  if v_added is null then
    return drop_order(p_by, json_build_object('kind', 'already_imported', 'place', first_imported(v_causes)));
  end if;
  for v_row in
    select m as movement, r.account_id, r.amount, coalesce(r.opens_at, v_now) as opens_at,
      coalesce(r.expires_at, 'infinity') as expires_at
    from rows from (
      json_to_recordset(p_rows) as (amount bigint, opens_at timestamptz, expires_at timestamptz), unnest(v_accounts, v_added)
    ) with ordinality as r (amount, opens_at, expires_at, account_id, movement_id, place)
    join movement m on m.movement_id = r.movement_id
    order by r.place
  loop
    perform credit(v_row.movement, v_row.account_id, 'imported', v_row.amount, v_row.opens_at, v_row.expires_at, false);
  end loop;
  perform audit_accounts(p_by, v_changed, v_before);
  return keep_order(p_by, '{"kind":"done"}');
end
$$;
