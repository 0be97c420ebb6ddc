-- Adds value to a member's account, or takes it.
--   p_member, p_loyalty_id    one of them; the other is null
--   p_amount                  negative: takes
--   p_opens_at                of what is added; null: now
--   p_expires_at              of what is added; infinity: never; null: by its currency's own rule, as if earned now
-- Replies
--   {"kind":"done"}
--   {"kind":"unknown_member" | "unknown_currency" | "past_expiry" | "out_of_range","place":0}, {"kind":"insufficient","available"}
--   {"kind":"opens_after_expiry","expiresAt"}  by the currency's own rule it would expire, at this time in milliseconds, before it opens
--   or a reply of take_order; except for done nothing is written. Locks: request id, member, account.
create or replace function order_adjustment(
  p_by change_context, p_order_digest bytea, p_member text, p_loyalty_id text, p_currency text, p_amount bigint, p_reason text,
  p_opens_at timestamptz, p_expires_at timestamptz
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_now timestamptz := clock_timestamp();
  v_member text;
  v_expires timestamptz;
  v_account bigint;
  v_before text;
  v_movement movement;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  v_member := lock_member(p_member, p_loyalty_id);
  if v_member is null then
    return drop_order(p_by, '{"kind":"unknown_member","place":0}');
  end if;
  select coalesce(p_expires_at, lot_expiry(v_now, k.terms::json ->> 'timeZone', (k.terms::json ->> 'expires')::json)) into v_expires
  from value_currency k where k.currency_id = p_currency;
  if not found then
    return drop_order(p_by, '{"kind":"unknown_currency","place":0}');
  end if;
  if v_expires <= v_now then
    return drop_order(p_by, '{"kind":"past_expiry","place":0}');
  end if;
  if p_opens_at >= v_expires then
    return drop_order(p_by, json_build_object('kind', 'opens_after_expiry', 'expiresAt', milliseconds(v_expires)));
  end if;
  if p_amount < 0 and not exists (
    select from account a where a.member_id = v_member and a.currency_id = p_currency
  ) then
    return drop_order(p_by, '{"kind":"insufficient","available":0}');
  end if;
  v_account := (select l.account_id from lock_accounts(array[v_member], array[p_currency]) l);
  if -p_amount > account_available(v_account) then
    return drop_order(p_by, json_build_object('kind', 'insufficient', 'available', account_available(v_account)));
  end if;
  if p_amount > account_room(v_account, true) then
    return drop_order(p_by, '{"kind":"out_of_range","place":0}');
  end if;
  v_before := account_snapshot(v_account);
  v_movement := add_movement('adjusted', 'request:' || p_by.request_id, p_reason, p_by.actor);
  if v_movement.movement_id is null then
    return drop_order(p_by, '{"kind":"request_id_conflict"}');
  end if;
  if p_amount < 0 then
    perform debit(v_movement, v_account, 'adjusted', -p_amount);
  else
    perform credit(v_movement, v_account, 'adjusted', p_amount, coalesce(p_opens_at, v_now), v_expires, true);
  end if;
  perform audit_accounts(
    p_by, array[v_account], array[v_before],
    case when p_amount > 0 then jsonb_build_object('expiresAt', nullif(v_expires, 'infinity')) end
  );
  return keep_order(p_by, '{"kind":"done"}');
end
$$;
