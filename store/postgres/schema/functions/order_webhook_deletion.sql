-- Deletes a webhook with its deliveries; nothing more is sent to it. What more than 10,000 there are is deleted by prune_deliveries.
-- Replies {"kind":"done"}, {"kind":"unknown_webhook"} or a reply of take_order; except for done nothing is written.
-- Locks: request id, webhook, removed webhooks.
create or replace function order_webhook_deletion(p_by change_context, p_order_digest bytea, p_webhook uuid) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_webhook webhook;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  select w.* into v_webhook from webhook w where w.webhook_id = p_webhook for update;
  if not found then
    return drop_order(p_by, '{"kind":"unknown_webhook"}');
  end if;
  delete from webhook w where w.webhook_id = p_webhook;
  insert into removed_webhook (webhook_id) values (p_webhook);
  perform prune_deliveries(10000);
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, before)
  values (p_by.actor, p_by.call, p_by.request_id, 'webhook', p_webhook, webhook_snapshot(v_webhook));
  return keep_order(p_by, '{"kind":"done"}');
end
$$;
