-- Issues an amount of a currency to each of some members, or to a part of a segment.
--   p_members     JSON array of {member_id, loyalty_id}, one of them; null: the segment
--   p_segment     to at most p_max of its members, by their ids, behind p_after; null: the members
--   p_grant       passes over members of the segment that got it; null: none
--   p_expires_at  null: never
-- Replies
--   {"kind":"done","members","last"}  how many; last: the member to go on behind, where the segment may have more, else null
--   {"kind":"unknown_member" | "same_member" | "out_of_range","place"}  the first such member, from 0
--   {"kind":"unknown_currency" | "past_expiry"}
create or replace function change_vouchers(
  p_by change_context, p_members json, p_segment text, p_after text, p_max integer,
  p_grant text, p_currency text, p_amount bigint, p_expires_at timestamptz
) returns json
language plpgsql as $$
declare
  v_found text[];
  v_members text[];
begin
  perform refuse('{"kind":"unknown_currency"}') where not exists (select from value_currency k where k.currency_id = p_currency);
  perform refuse('{"kind":"past_expiry"}') where p_expires_at <= clock_timestamp();
  if p_segment is null then
    select array_agg(coalesce(
      n.member_id, (select l.member_id from member_loyalty_id l where l.loyalty_id = n.loyalty_id)
    )) into v_found
    from json_to_recordset(p_members) as n (member_id text, loyalty_id text);
  else
    v_found := array(select segment_members(p_segment, p_after, p_max));
  end if;
  perform 1 from member m where m.member_id = any (v_found) order by m.member_id for key share;
  -- One of the segment may have been forgotten meanwhile.
  v_members := case when p_segment is null then v_found else array(
    select m.member_id from member m where m.member_id = any (v_found) order by m.member_id
  ) end;
  if p_grant is not null then
    with granted as (
      insert into voucher_grant (grant_id, member_id) select p_grant, n.id from unnest(v_members) n (id) order by n.id
      on conflict do nothing
      returning member_id
    )
    select coalesce(array_agg(g.member_id order by g.member_id), '{}') into v_members from granted g;
  end if;
  perform refuse(members_fault(v_members));
  perform issue_vouchers(p_by, v_members, p_currency, p_amount, coalesce(p_expires_at, 'infinity'));
  return json_build_object(
    'kind', 'done', 'members', cardinality(v_members),
    'last', case when p_segment is not null and cardinality(v_found) = p_max then v_found[p_max] end
  );
end
$$;

-- Credits members, each once, with an amount each, as one movement. Refuses {"kind":"out_of_range","place"} of the first member whose
-- account would pass its bound. The caller holds the members.
create or replace function issue_vouchers(
  p_by change_context, p_members text[], p_currency text, p_amount bigint, p_expires_at timestamptz
) returns void
language plpgsql as $$
declare
  v_accounts bigint[];
  v_before text[];
  v_place integer;
  v_movement movement;
  v_account bigint;
begin
  if cardinality(p_members) = 0 then
    return;
  end if;
  perform lock_accounts(p_members, array_fill(p_currency, array[cardinality(p_members)]));
  v_accounts := array(
    select a.account_id from unnest(p_members) with ordinality n (member_id, place)
    join account a on a.member_id = n.member_id and a.currency_id = p_currency
    order by n.place
  );
  v_place := (
    select min(n.place) - 1 from unnest(v_accounts) with ordinality n (account_id, place)
    where account_room(n.account_id, true) < p_amount
  );
  perform refuse(json_build_object('kind', 'out_of_range', 'place', v_place)) where v_place is not null;
  v_before := array(
    select account_snapshot(n.account_id) from unnest(v_accounts) with ordinality n (account_id, place) order by n.place
  );
  v_movement := add_movement('issued', 'request:' || p_by.request_id, '', p_by.actor);
  perform refuse('{"kind":"request_id_conflict"}') where v_movement.movement_id is null;
  foreach v_account in array v_accounts loop
    perform credit(v_movement, v_account, 'issued', p_amount, v_movement.at, p_expires_at, true);
  end loop;
  perform audit_accounts(p_by, v_accounts, v_before);
end
$$;

-- The segments of a member's body as JSON texts, each once: Postgres cannot read every body (U+0000, lone surrogates). Quotes inside
-- strings are escaped, so the first pattern matches only the field.
create or replace function segments_of(p_body text) returns setof text
language sql immutable as $$
  select distinct s.id[1] from regexp_matches(
    substring(p_body from '"segments":\[((?:"(?:[^"\\]|\\.)*",?)*)\]'), '"(?:[^"\\]|\\.)*"', 'g'
  ) s (id)
$$;

create or replace function segment_members(p_segment text, p_after text, p_max integer) returns setof text
language sql stable as $$
  select m.member_id from member m
  where m.member_id > p_after
    and to_json(p_segment)::text in (select segments_of(m.body))
  order by m.member_id
  limit p_max
$$;

-- {"kind":"unknown_member" | "same_member","place"} of the first such member of a list, from 0; null: there is none.
create or replace function members_fault(p_members text[]) returns json
language sql volatile as $$
  select json_build_object('kind', f.kind, 'place', f.place - 1)
  from (
    select n.place, case when m.member_id is null then 'unknown_member' else 'same_member' end as kind
    from (
      select u.id, u.place, row_number() over (partition by u.id order by u.place) as times
      from unnest(p_members) with ordinality u (id, place)
    ) n
    left join member m on m.member_id = n.id
    where m.member_id is null or n.times > 1
  ) f
  order by f.place
  limit 1
$$;

-- Imports codes, all or none, each worth the same.
--   p_codes       JSON array of SHA-256, hex, each once: the codes themselves never reach the database
--   p_expires_at  for the codes, and for the value that they give; null: never
-- Replies {"kind":"done"}, {"kind":"unknown_currency" | "past_expiry"}, or {"kind":"already_imported","places"} of such codes, ascending.
create or replace function change_codes(
  p_by change_context, p_currency text, p_amount bigint, p_codes json, p_expires_at timestamptz,
  p_dry_run boolean
) returns json
language plpgsql as $$
declare
  v_digests bytea[];
  v_added bytea[];
begin
  perform refuse('{"kind":"unknown_currency"}') where not exists (select from value_currency k where k.currency_id = p_currency);
  perform refuse('{"kind":"past_expiry"}') where p_expires_at <= clock_timestamp();
  if not exists (select from forgetting_key) then
    perform lock_changes();
    perform make_forgetting_key();
  end if;
  v_digests := array(
    select forgotten_digest(k, 'code', c.code)
    from forgetting_key k, json_array_elements_text(p_codes) with ordinality c (code, place)
    order by c.place
  );
  -- In the order of their digests: two imports of the same codes wait for each other in one order.
  with added as (
    insert into reward_code (digest, currency_id, amount, expires_at)
    select d.digest, p_currency, p_amount, coalesce(p_expires_at, 'infinity')
    from unnest(v_digests) d (digest) order by d.digest
    on conflict (digest) do nothing
    returning digest
  )
  select array_agg(a.digest) into v_added from added a;
  perform refuse(json_build_object('kind', 'already_imported', 'places', (
    select json_agg(d.place - 1 order by d.place) from unnest(v_digests) with ordinality d (digest, place)
    where d.digest <> all (coalesce(v_added, '{}'))
  ))) where cardinality(v_added) is distinct from cardinality(v_digests);
  perform refuse('{"kind":"done"}') where p_dry_run;
  perform add_audit(p_by, 'codes', p_currency, null, json_build_object(
    'codes', cardinality(v_digests), 'amount', p_amount, 'expiresAt', p_expires_at
  )::text);
  return '{"kind":"done"}';
end
$$;

-- Gives a member the value of a code, once.
--   p_code       as of change_codes
--   p_wrong_max  wrong codes of a member in an hour; then every code is refused until the first is an hour old
-- Replies
--   {"kind":"done","currencyId","amount"}
--   {"kind":"unknown_code"}, {"kind":"code_not_open","state"}  a wrong code: it is counted, and a repeat of the request gets this reply
--                                                         without being counted again; state: claimed, void or expired
--   {"kind":"too_many_wrong_codes","retryAfterMs"}  nothing was looked up
--   {"kind":"unknown_member" | "blocked_member" | "out_of_range"}
create or replace function change_claim(
  p_by change_context, p_member text, p_loyalty_id text, p_code text, p_wrong_max integer
) returns json
language plpgsql as $$
declare
  v_member text;
  v_wrong record;
  v_code reward_code;
  v_account bigint;
  v_before text;
  v_movement movement;
begin
  v_member := lock_member(p_member, p_loyalty_id);
  perform refuse('{"kind":"unknown_member"}') where v_member is null;
  perform refuse('{"kind":"blocked_member"}') where (select m.blocked from member m where m.member_id = v_member);
  -- Held to the end of the transaction, so that many callers at once do not pass the limit together.
  perform pg_advisory_xact_lock(hashtextextended('loyalty wrong codes ' || v_member, 0));
  select count(*) as wrong, min(w.at) + interval '1 hour' as until into v_wrong
  from wrong_code w where w.member_id = v_member and w.at > clock_timestamp() - interval '1 hour';
  perform refuse(json_build_object('kind', 'too_many_wrong_codes', 'retryAfterMs', ceil(
      extract(epoch from v_wrong.until - clock_timestamp()) * 1000
    ))) where v_wrong.wrong >= p_wrong_max;
  select c.* into v_code from forgetting_key k join reward_code c on c.digest = forgotten_digest(k, 'code', p_code) for update of c;
  if not found or v_code.state <> 'open' or v_code.expires_at <= clock_timestamp() then
    insert into wrong_code (member_id, at) values (v_member, clock_timestamp());
    return case
      when v_code.digest is null then '{"kind":"unknown_code"}'
      else json_build_object('kind', 'code_not_open', 'state', case v_code.state when 'open' then 'expired' else v_code.state::text end)
    end;
  end if;
  v_account := (select l.account_id from lock_accounts(array[v_member], array[v_code.currency_id]) l);
  perform refuse('{"kind":"out_of_range"}') where v_code.amount > account_room(v_account, true);
  v_before := account_snapshot(v_account);
  v_movement := add_movement('claimed', 'code:' || encode(v_code.digest, 'hex'), '', p_by.actor);
  perform credit(v_movement, v_account, 'issued', v_code.amount, v_movement.at, v_code.expires_at, true);
  update reward_code c set state = 'claimed' where c.digest = v_code.digest;
  perform audit_accounts(p_by, array[v_account], array[v_before]);
  return json_build_object('kind', 'done', 'currencyId', v_code.currency_id, 'amount', v_code.amount);
end
$$;

-- Ends a code that is not claimed. Replies {"kind":"done"}, also of a void one, {"kind":"unknown_code"} or
-- {"kind":"code_not_open","state":"claimed"}.
create or replace function change_void(p_by change_context, p_code text) returns json
language plpgsql as $$
declare
  v_code reward_code;
begin
  select c.* into v_code from forgetting_key k join reward_code c on c.digest = forgotten_digest(k, 'code', p_code) for update of c;
  perform refuse('{"kind":"unknown_code"}') where not found;
  perform refuse('{"kind":"code_not_open","state":"claimed"}') where v_code.state = 'claimed';
  if v_code.state = 'open' then
    update reward_code c set state = 'void' where c.digest = v_code.digest;
    perform add_audit(
      p_by, 'codes', v_code.currency_id, json_build_object('amount', v_code.amount, 'state', 'open')::text,
      json_build_object('amount', v_code.amount, 'state', 'void')::text
    );
  end if;
  return '{"kind":"done"}';
end
$$;
