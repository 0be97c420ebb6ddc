-- Imports codes, all or none, each worth the same.
--   p_codes       JSON array of texts as of code_digest, each once
--   p_expires_at  of the codes, and of what they give; null: never
-- Replies
--   {"kind":"done"}
--   {"kind":"unknown_currency" | "past_expiry"}, {"kind":"already_imported","place"}  the first such code, from 0
--   or a reply of take_order; except for done nothing is written. Locks: request id, lock_changes for the first key, codes.
create or replace function order_codes(
  p_by change_context, p_order_digest bytea, p_currency text, p_amount bigint, p_codes json, p_expires_at timestamptz
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_digests bytea[];
  v_added bytea[];
begin
  if v_reply is not null then
    return v_reply;
  end if;
  if not exists (select from value_currency k where k.currency_id = p_currency) then
    return drop_order(p_by, '{"kind":"unknown_currency"}');
  end if;
  if p_expires_at <= clock_timestamp() then
    return drop_order(p_by, '{"kind":"past_expiry"}');
  end if;
  if not exists (select from forgetting_key) then
    perform lock_changes();
    perform make_forgetting_key();
  end if;
  v_digests := array(
    select code_digest(k, c.code)
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
  if cardinality(v_added) is distinct from cardinality(v_digests) then
    delete from reward_code c where c.digest = any (v_added);
    return drop_order(p_by, json_build_object('kind', 'already_imported', 'place', (
      select min(d.place) - 1 from unnest(v_digests) with ordinality d (digest, place)
      join reward_code c on c.digest = d.digest
    )));
  end if;
  perform audit_codes(p_by, p_currency, null, json_build_object(
    'codes', cardinality(v_digests), 'amount', p_amount, 'expiresAt', p_expires_at
  ));
  return keep_order(p_by, '{"kind":"done"}');
end
$$;
