-- Ends an open calculation as if its time had passed, and releases what it holds.
--   p_dry_run  says what would be released, changes nothing and keeps no request id
-- Replies
--   {"kind":"done","reservations":[{limitId, subject, period, units}],"value":[{currencyId, amount}]}
--   {"kind":"unknown_calculation"}, {"kind":"not_open","state":...} or a reply of take_order: nothing is written
-- Locks: request id, calculation, counters, accounts.
create or replace function order_release(
  p_by change_context, p_order_digest bytea, p_calculation uuid, p_reason text, p_dry_run boolean
) returns json
language plpgsql as $$
declare
  v_reply json := case when not p_dry_run then take_order(p_by, p_order_digest) end;
  v_calculation calculation;
  v_reservations json;
  -- What is stored names no subject, which may be a member.
  v_nameless json;
  v_value json;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  select c.* into v_calculation from calculation c where c.calculation_id = p_calculation for update;
  v_reply := case
    when v_calculation.calculation_id is null then json_build_object('kind', 'unknown_calculation')
    when calculation_state_now(v_calculation) <> 'open'
      then json_build_object('kind', 'not_open', 'state', calculation_state_now(v_calculation))
  end;
  if v_reply is not null then
    return drop_order(p_by, v_reply);
  end if;
  perform lock_counters(array[p_calculation]);
  perform lock_held_accounts(array[p_calculation], null, '{}');
  select coalesce(json_agg(json_build_object(
      'limitId', k.limit_id, 'subject', k.subject, 'period', k.period, 'units', r.units
    ) order by k.limit_id, k.subject, k.period), '[]'),
    coalesce(json_agg(json_build_object(
      'limitId', k.limit_id, 'subject', '', 'period', k.period, 'units', r.units
    ) order by k.limit_id, k.subject, k.period), '[]')
  into v_reservations, v_nameless
  from reservation r join limit_counter k on k.counter_id = r.counter_id
  where r.calculation_id = p_calculation and r.state = 'open';
  select coalesce(json_agg(json_build_object('currencyId', a.currency_id, 'amount', h.amount) order by a.currency_id), '[]')
  into v_value
  from value_hold h join account a on a.account_id = h.account_id
  where h.calculation_id = p_calculation and h.state = 'open';
  if not p_dry_run then
    perform release_reservations(array[p_calculation]);
    perform release_value(array[p_calculation], null);
    update calculation c set state = 'expired', expires_at = clock_timestamp() where c.calculation_id = p_calculation;
    insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
    values (
      p_by.actor, p_by.call, p_by.request_id, 'calculation', p_calculation::text,
      json_build_object('state', 'open', 'reservations', v_nameless, 'value', v_value)::text,
      json_build_object('state', 'expired', 'reason', p_reason)::text
    );
    perform keep_order(p_by, json_build_object('kind', 'done', 'reservations', v_nameless, 'value', v_value));
  end if;
  return json_build_object('kind', 'done', 'reservations', v_reservations, 'value', v_value);
end
$$;
