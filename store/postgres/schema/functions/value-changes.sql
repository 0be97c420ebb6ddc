-- Adds value to a member's account, or takes it (p_amount negative).
--   p_member, p_loyalty_id  one of them; the other is null
--   p_opens_at              null: now
--   p_expires_at            infinity: never; null: by its currency's own rule, as if earned now
-- Replies
--   {"kind":"done"}, {"kind":"insufficient","available"}
--   {"kind":"unknown_member" | "unknown_currency" | "past_expiry" | "out_of_range","place":0}
--   {"kind":"opens_after_expiry","expiresAt"}  by the currency's own rule it would expire, at this time in milliseconds, before it opens
create or replace function change_adjustment(
  p_by change_context, p_member text, p_loyalty_id text, p_currency text, p_amount bigint, p_reason text,
  p_opens_at timestamptz, p_expires_at timestamptz
) returns json
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_member text;
  v_expires timestamptz;
  v_account bigint;
  v_before text;
  v_movement movement;
begin
  v_member := lock_member(p_member, p_loyalty_id);
  perform refuse('{"kind":"unknown_member","place":0}') where v_member is null;
  select coalesce(p_expires_at, lot_expiry(v_now, k.terms::json ->> 'timeZone', (k.terms::json ->> 'expires')::json)) into v_expires
  from value_currency k where k.currency_id = p_currency;
  perform refuse('{"kind":"unknown_currency","place":0}') where not found;
  perform refuse('{"kind":"past_expiry","place":0}') where v_expires <= v_now;
  perform refuse(json_build_object('kind', 'opens_after_expiry', 'expiresAt', milliseconds(v_expires)))
  where p_opens_at >= v_expires;
  perform refuse('{"kind":"insufficient","available":0}')
  where p_amount < 0 and not exists (
    select from account a where a.member_id = v_member and a.currency_id = p_currency
  );
  v_account := (select l.account_id from lock_accounts(array[v_member], array[p_currency]) l);
  perform refuse(json_build_object('kind', 'insufficient', 'available', account_available(v_account)))
  where -p_amount > account_available(v_account);
  perform refuse('{"kind":"out_of_range","place":0}') where p_amount > account_room(v_account, true);
  v_before := account_snapshot(v_account);
  v_movement := add_movement('adjusted', 'request:' || p_by.request_id, p_reason, p_by.actor);
  perform refuse('{"kind":"request_id_conflict"}') where v_movement.movement_id is null;
  if p_amount < 0 then
    perform debit(v_movement, v_account, 'adjusted', -p_amount);
  else
    perform credit(v_movement, v_account, 'adjusted', p_amount, coalesce(p_opens_at, v_now), v_expires, true);
  end if;
  perform audit_accounts(
    p_by, array[v_account], array[v_before],
    case when p_amount > 0 then jsonb_build_object('expiresAt', nullif(v_expires, 'infinity')) end
  );
  return '{"kind":"done"}';
end
$$;

-- Moves value from one member to another, from the lot that expires first, with its dates. It pays the debt of the receiver first.
--   p_from, p_from_loyalty_id, p_to, p_to_loyalty_id  of each pair one; the other is null
-- Replies
--   {"kind":"done"}, {"kind":"same_member"}, {"kind":"insufficient","available"}
--   {"kind":"unknown_member","place"}  0: the giver, 1: the receiver
--   {"kind":"unknown_currency" | "out_of_range","place":0}
create or replace function change_transfer(
  p_by change_context, p_from text, p_from_loyalty_id text, p_to text, p_to_loyalty_id text,
  p_currency text, p_amount bigint, p_reason text
) returns json
language plpgsql as $$
declare
  v_giver text;
  v_receiver text;
  v_from bigint;
  v_to bigint;
  v_before text[];
  v_movement movement;
  v_part lot;
begin
  perform 1 from member m
  where m.member_id in (named_member(p_from, p_from_loyalty_id), named_member(p_to, p_to_loyalty_id))
  order by m.member_id for key share;
  v_giver := lock_member(p_from, p_from_loyalty_id);
  v_receiver := lock_member(p_to, p_to_loyalty_id);
  perform refuse(json_build_object('kind', 'unknown_member', 'place', (v_giver is not null)::integer))
  where v_giver is null or v_receiver is null;
  perform refuse('{"kind":"same_member"}') where v_giver = v_receiver;
  perform refuse('{"kind":"unknown_currency","place":0}')
  where not exists (select from value_currency k where k.currency_id = p_currency);
  perform refuse('{"kind":"insufficient","available":0}')
  where not exists (select from account a where a.member_id = v_giver and a.currency_id = p_currency);
  perform lock_accounts(array[v_giver, v_receiver], array[p_currency, p_currency]);
  v_from := (select a.account_id from account a where a.member_id = v_giver and a.currency_id = p_currency);
  v_to := (select a.account_id from account a where a.member_id = v_receiver and a.currency_id = p_currency);
  perform refuse(json_build_object('kind', 'insufficient', 'available', account_available(v_from)))
  where p_amount > account_available(v_from);
  perform refuse('{"kind":"out_of_range","place":0}') where p_amount > account_room(v_to, true);
  v_before := array[account_snapshot(v_from), account_snapshot(v_to)];
  v_movement := add_movement('transferred', 'request:' || p_by.request_id, p_reason, p_by.actor);
  perform refuse('{"kind":"request_id_conflict"}') where v_movement.movement_id is null;
  for v_part in select * from debit(v_movement, v_from, 'transferred', p_amount) loop
    perform fill_lots(v_movement.at, array[
      row (v_to, pay_debt(v_to, v_part.amount), v_part.opens_at, v_part.expires_at)::value_credit
    ]);
  end loop;
  perform add_entry(v_movement, v_to, 'transferred', p_amount);
  perform audit_accounts(p_by, array[v_from, v_to], v_before);
  return '{"kind":"done"}';
end
$$;

-- Imports balances, all or none. An import pays no debt, so that control totals hold.
--   p_rows  JSON array of {member_id, loyalty_id, currency_id, amount, opens_at, expires_at, reference}: of member_id and loyalty_id
--           one; amount 1 or more; dates null: now, never; a reference once per currency
-- Replies {"kind":"done"}, or of the first faulty row, from 0,
--   {"kind":"unknown_member" | "unknown_currency" | "past_expiry" | "already_imported" | "out_of_range","place"}
create or replace function change_import(p_by change_context, p_rows json) returns json
language plpgsql as $$
declare
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
  select array_agg(coalesce(
      r.member_id, (select l.member_id from member_loyalty_id l where l.loyalty_id = r.loyalty_id)
    )), array_agg(r.currency_id), array_agg(
      -- The first `/` ends the currency, so no two rows share a cause.
      'import:' || replace(replace(r.currency_id, '%', '%25'), '/', '%2F') || '/' || r.reference
    )
  into v_members, v_currencies, v_causes
  from json_to_recordset(p_rows) as r (member_id text, loyalty_id text, currency_id text, reference text);
  perform 1 from member m where m.member_id = any (v_members) order by m.member_id for key share;

  v_fault := import_fault(p_rows, v_now, v_members, v_currencies, v_causes);
  perform refuse(v_fault);

  perform lock_accounts(v_members, v_currencies);
  v_accounts := array(
    select (select a.account_id from account a where a.member_id = n.member_id and a.currency_id = n.currency_id)
    from unnest(v_members, v_currencies) with ordinality n (member_id, currency_id, place)
    order by n.place
  );
  select min(t.place)::integer - 1 into v_place
  from (
    select n.account_id, n.place, sum(n.amount) over (partition by n.account_id order by n.place) as total
    from rows from (json_to_recordset(p_rows) as (amount bigint), unnest(v_accounts))
      with ordinality as n (amount, account_id, place)
  ) t
  where t.total > account_room(t.account_id, false);
  perform refuse(json_build_object('kind', 'out_of_range', 'place', v_place)) where v_place is not null;
  v_changed := array(select distinct unnest(v_accounts) order by 1);
  v_before := array(select account_snapshot(c.id) from unnest(v_changed) with ordinality c (id, place) order by c.place);

  -- Another import may have used a reference since, or the member of its import may have been forgotten.
  v_added := add_imports(v_causes, p_by.actor);
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
  return '{"kind":"done"}';
end
$$;

create or replace function import_fault(
  p_rows json, p_now timestamptz, p_members text[], p_currencies text[], p_causes text[]
) returns json
language sql volatile as $$
  select json_build_object('kind', f.kind, 'place', f.place)
  from (
    select 1 as rank, 'unknown_member' as kind, min(n.place)::integer - 1 as place
    from unnest(p_members) with ordinality n (id, place)
    where not exists (select from member m where m.member_id = n.id)
    union all
    select 2, 'unknown_currency', min(n.place)::integer - 1
    from unnest(p_currencies) with ordinality n (id, place)
    where not exists (select from value_currency k where k.currency_id = n.id)
    union all
    select 3, 'past_expiry', min(r.place)::integer - 1
    from rows from (json_to_recordset(p_rows) as (expires_at timestamptz)) with ordinality as r (expires_at, place)
    where r.expires_at <= p_now
    union all
    select 4, 'already_imported', first_imported(p_causes, '{}')
  ) f
  where f.place is not null
  order by f.place, f.rank
  limit 1
$$;

-- The place, from 0, of the first of these import causes that was used before, p_own left out; null: none was.
create or replace function first_imported(p_causes text[], p_own bigint[]) returns integer
language sql volatile as $$
  select min(c.place)::integer - 1
  from unnest(p_causes) with ordinality c (cause, place)
  where exists (select from movement m where m.cause = c.cause and m.movement_id <> all (coalesce(p_own, '{}')))
    or exists (select from forgetting_key k join movement m on m.cause = erased_cause(k, c.cause))
$$;

-- Replaces an import cause after its member is forgotten: its reference may name the member, and still counts as used.
create or replace function erased_cause(p_key forgetting_key, p_cause text) returns text
language sql immutable as $$
  select 'erased:' || encode(forgotten_digest(p_key, 'import', p_cause), 'hex')
$$;

-- Adds the movements of an import, without entries. Replies their ids in the order of p_causes; refuses causes that were used before.
create or replace function add_imports(p_causes text[], p_actor text) returns bigint[]
language plpgsql as $$
declare
  -- One time for all: value that opens with one row is open for the next.
  v_now timestamptz := clock_timestamp();
  v_added bigint[];
begin
  -- In the order of their causes: two imports with the same references wait for each other in one order.
  with added as (
    insert into movement (kind, at, cause, actor)
    select 'imported', v_now, c.cause, p_actor from unnest(p_causes) c (cause) order by c.cause collate "C"
    on conflict (cause) do nothing
    returning movement_id
  )
  select array_agg(a.movement_id) into v_added from added a;
  perform refuse(json_build_object('kind', 'already_imported', 'place', first_imported(p_causes, v_added)))
  where cardinality(v_added) is distinct from cardinality(p_causes) or exists (
    select from forgetting_key k, unnest(p_causes) c (cause) join movement m on true
    where m.cause = erased_cause(k, c.cause)
  );
  return array(
    select (select m.movement_id from movement m where m.cause = c.cause)
    from unnest(p_causes) with ordinality c (cause, place)
    order by c.place
  );
end
$$;
