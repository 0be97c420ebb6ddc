-- Whether a webhook has a delivery of this member that is not finished.
create or replace function is_pending(p_webhook uuid, p_member text) returns boolean
language sql volatile as $$
  select exists (
    select from delivery d
    where d.webhook_id = p_webhook and d.member_id = p_member and d.state in ('waiting', 'due')
  )
$$;
