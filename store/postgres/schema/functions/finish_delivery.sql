-- Notes how an attempt ended. Where the delivery is finished by it, the next one of the same member becomes due.
--   p_attempt  of take_deliveries; another one was made meanwhile: nothing is done
--   p_ending   delivered, failed, gone (the webhook is disabled), or stopped: that says nothing about the webhook
--   p_outcome  for the record
--   p_retry    when to attempt it again, if it failed or was stopped
--   p_pause    nothing is sent to the webhook before that
--   p_patience attempts end this long after the delivery began
-- Replies the state: delivered, failed, due (to be attempted again), or null: nothing was done. Locks: webhook.
create or replace function finish_delivery(
  p_webhook uuid, p_place bigint, p_attempt integer, p_ending text, p_outcome text, p_retry interval, p_pause interval,
  p_patience interval
) returns text
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_delivery delivery;
  v_state delivery_state;
begin
  perform 1 from webhook w where w.webhook_id = p_webhook for update;
  select d.* into v_delivery from delivery d
  where d.place = p_place and d.webhook_id = p_webhook and d.state = 'due' and d.attempts = p_attempt
  for update;
  if not found then
    return null;
  end if;
  if p_ending = 'gone' then
    perform disable_webhook(p_webhook, p_outcome);
    return 'failed';
  end if;
  -- Most attempts change nothing here.
  update webhook w
  set failing_since = case p_ending when 'failed' then coalesce(w.failing_since, v_now) end,
    paused_until = greatest(w.paused_until, v_now + p_pause)
  where w.webhook_id = p_webhook and p_ending <> 'stopped'
    and ((w.failing_since is null) = (p_ending = 'failed') or p_pause > interval '0');
  v_state := case
    when p_ending = 'delivered' then 'delivered' when v_now + p_retry >= v_delivery.since + p_patience then 'failed' else 'due'
  end;
  update delivery d set state = v_state, outcome = p_outcome,
    due_at = case when v_state = 'due' then v_now + p_retry else v_now end,
    member_id = case when v_state = 'due' then d.member_id end
  where d.place = p_place and d.webhook_id = p_webhook;
  if v_state <> 'due' then
    update delivery d set state = 'due', due_at = v_now
    where d.webhook_id = p_webhook and d.state = 'waiting' and d.place = (
      select min(n.place) from delivery n
      where n.webhook_id = p_webhook and n.member_id = v_delivery.member_id and n.state = 'waiting'
    );
  end if;
  return v_state;
end
$$;
