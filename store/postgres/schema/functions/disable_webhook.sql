-- Sends nothing more to a webhook that answered 410: what it has not got is given up, with an audit record. Locks: the caller holds the
-- webhook.
create or replace function disable_webhook(p_webhook uuid, p_outcome text) returns void
language sql as $$
  insert into audit_record (actor, call, subject_kind, subject_id, before, after)
  select 'service', 'WebhookGone', 'webhook', w.webhook_id, webhook_snapshot(w),
    json_build_object('url', w.url, 'types', w.types, 'disabled', p_outcome)::text
  from webhook w where w.webhook_id = p_webhook;
  update webhook w set disabled_at = clock_timestamp(), failing_since = coalesce(w.failing_since, clock_timestamp())
  where w.webhook_id = p_webhook;
  update delivery d set state = 'failed', outcome = p_outcome, due_at = clock_timestamp(), member_id = null
  where d.webhook_id = p_webhook and d.state in ('waiting', 'due');
$$;
