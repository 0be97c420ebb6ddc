-- Adds a webhook, which gets every event from now on.
--   p_secret  32 bytes; a repeated call gets that of the first one, as long as the webhook is there
--   p_most    webhooks at most
-- Replies {"kind":"done","webhookId"}, {"kind":"too_many"} or a reply of take_order; except for done nothing is written.
-- Locks: request id, lock_changes.
create or replace function order_webhook(
  p_by change_context, p_order_digest bytea, p_url text, p_types text[], p_secret bytea, p_most integer
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_id uuid := gen_random_uuid();
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  if (select count(*) from webhook) >= p_most then
    return drop_order(p_by, '{"kind":"too_many"}');
  end if;
  while place_events(500) > 0 loop
  end loop;
  insert into webhook (webhook_id, url, secret, types, place) values (v_id, p_url, p_secret, p_types, last_event_place());
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, after)
  select p_by.actor, p_by.call, p_by.request_id, 'webhook', v_id, webhook_snapshot(w) from webhook w where w.webhook_id = v_id;
  return keep_order(p_by, json_build_object('kind', 'done', 'webhookId', v_id));
end
$$;
