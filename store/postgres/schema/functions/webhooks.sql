-- Adds a webhook, which gets every event from now on. Replies {"kind":"done","webhookId"} or {"kind":"too_many_webhooks"}: p_most are there.
--   p_secret  32 bytes; a repeated call gets the first one's, as long as the webhook is there
create or replace function change_webhook(
  p_by change_context, p_url text, p_types text[], p_secret bytea, p_most integer
) returns json
language plpgsql as $$
declare
  v_id uuid := gen_random_uuid();
begin
  perform lock_changes();
  perform refuse('{"kind":"too_many_webhooks"}') where (select count(*) from webhook) >= p_most;
  while place_events(500) > 0 loop
  end loop;
  insert into webhook (webhook_id, url, secret, types, place) values (v_id, p_url, p_secret, p_types, last_event_place());
  perform add_audit(p_by, 'webhook', v_id::text, null, webhook_snapshot(w)) from webhook w where w.webhook_id = v_id;
  return json_build_object('kind', 'done', 'webhookId', v_id);
end
$$;

-- Deletes a webhook with its deliveries; beyond 10,000, prune_deliveries deletes them. Replies {"kind":"done"} or
-- {"kind":"unknown_webhook"}.
create or replace function change_webhook_deletion(p_by change_context, p_webhook uuid) returns json
language plpgsql as $$
declare
  v_webhook webhook;
begin
  select w.* into v_webhook from webhook w where w.webhook_id = p_webhook for update;
  perform refuse('{"kind":"unknown_webhook"}') where not found;
  delete from webhook w where w.webhook_id = p_webhook;
  insert into removed_webhook (webhook_id) values (p_webhook);
  perform prune_deliveries(10000);
  perform add_audit(p_by, 'webhook', p_webhook::text, webhook_snapshot(v_webhook), null);
  return '{"kind":"done"}';
end
$$;

-- Delivers events to a webhook once more, also of types that it does not subscribe to: after pending ones of the same member.
--   p_events  JSON array of [event id, microseconds of its time]; null: those that failed, the oldest p_max
-- Replies {"kind":"done","events"}, pending ones included, {"kind":"unknown_webhook" | "disabled_webhook"} or
-- {"kind":"unknown_event","place"}.
create or replace function change_redelivery(
  p_by change_context, p_webhook uuid, p_events json, p_max integer
) returns json
language plpgsql as $$
declare
  v_places bigint[];
  v_event event;
begin
  perform 1 from webhook w where w.webhook_id = p_webhook for update;
  perform refuse('{"kind":"unknown_webhook"}') where not found;
  perform refuse('{"kind":"disabled_webhook"}')
  where exists (select from webhook w where w.webhook_id = p_webhook and w.disabled_at is not null);
  if p_events is null then
    v_places := array(
      select d.place from delivery d where d.webhook_id = p_webhook and d.state = 'failed' order by d.place limit p_max
    );
  else
    select array_agg(e.place order by n.number) into v_places
    from json_array_elements(p_events) with ordinality n (named, number)
    left join event e on e.event_id = (n.named ->> 0)::bigint and microseconds(e.at) = (n.named ->> 1)::bigint;
    perform refuse(json_build_object('kind', 'unknown_event', 'place', array_position(v_places, null) - 1))
    where array_position(v_places, null) is not null;
  end if;
  for v_event in
    select e.* from event e where e.place is not null and e.place = any (v_places) order by e.place
  loop
    insert into delivery as d (place, webhook_id, member_id, state)
    values (v_event.place, p_webhook, v_event.member_id, case
      when v_event.member_id is not null and is_pending(p_webhook, v_event.member_id) then 'waiting' else 'due'
    end::delivery_state)
    on conflict (place, webhook_id) do update
    set state = excluded.state, member_id = excluded.member_id, attempts = 0, due_at = excluded.due_at, since = excluded.since
    where d.state in ('delivered', 'failed');
  end loop;
  perform add_audit(
    p_by, 'webhook', p_webhook::text, null, json_build_object('redelivered', cardinality(v_places))::text
  );
  return json_build_object('kind', 'done', 'events', cardinality(v_places));
end
$$;

-- Takes deliveries that are due, of each webhook those due for longest, so that no other gateway attempts them meanwhile.
--   p_max    deliveries of a webhook at once at most, p_busy among them
--   p_busy   JSON object: how many the caller has of each webhook
--   p_claim  an attempt without an outcome after this time counts as lost, and is made again
create or replace function take_deliveries(p_max integer, p_busy json, p_claim interval)
returns table (
  webhook_id uuid, url text, secret bytea, place bigint, attempt integer,
  event_id bigint, at timestamptz, type text, member_id text, body text
)
language plpgsql as $$
declare
  v_now timestamptz;
begin
  if not exists (select from webhook w where w.disabled_at is null) then
    return;
  end if;
  perform place_events(500);
  perform add_deliveries(500);
  v_now := clock_timestamp();
  return query
  with taken as materialized (
    select t.webhook_id, t.place
    from webhook w cross join lateral (
      select d.webhook_id, d.place from delivery d
      where d.webhook_id = w.webhook_id and d.state = 'due' and d.due_at <= v_now and w.paused_until <= v_now
      order by d.due_at, d.place
      limit greatest(p_max - coalesce((p_busy ->> w.webhook_id::text)::integer, 0), 0)
      for update skip locked
    ) t
  ), claimed as (
    update delivery d set attempts = d.attempts + 1, due_at = v_now + p_claim
    from taken t
    where d.place = t.place and d.webhook_id = t.webhook_id
    returning d.webhook_id, d.place, d.attempts
  )
  select w.webhook_id, w.url, w.secret, c.place, c.attempts, e.event_id, e.at, e.type, e.member_id, e.body
  from claimed c
  join webhook w on w.webhook_id = c.webhook_id
  join event e on e.place is not null and e.place = c.place
  order by c.place;
end
$$;

create or replace function add_deliveries(p_max integer) returns void
language plpgsql as $$
declare
  v_webhook webhook;
  v_until bigint;
begin
  for v_webhook in
    select w.* from webhook w where w.place < last_event_place() and w.disabled_at is null order by w.webhook_id for update skip locked
  loop
    v_until := least(v_webhook.place + p_max, last_event_place());
    insert into delivery (place, webhook_id, member_id, state)
    select e.place, v_webhook.webhook_id, e.member_id, case
      when e.member_id is null then 'due'
      when row_number() over (partition by e.member_id order by e.place) > 1 then 'waiting'
      when is_pending(v_webhook.webhook_id, e.member_id) then 'waiting'
      else 'due'
    end::delivery_state
    from event e
    where e.place is not null and e.place > v_webhook.place and e.place <= v_until
      and (v_webhook.types = '{}' or e.type = any (v_webhook.types))
    on conflict do nothing;
    update webhook w set place = v_until where w.webhook_id = v_webhook.webhook_id;
  end loop;
end
$$;

create or replace function is_pending(p_webhook uuid, p_member text) returns boolean
language sql volatile as $$
  select exists (
    select from delivery d
    where d.webhook_id = p_webhook and d.member_id = p_member and d.state in ('waiting', 'due')
  )
$$;

-- Notes how an attempt ended. Where the delivery is finished by it, the next one of the same member becomes due.
--   p_attempt   of take_deliveries; if another one was made meanwhile, nothing is done
--   p_ending    delivered, failed, gone (the webhook is disabled), or stopped: the webhook is not at fault
--   p_retry     when to attempt it again, if it failed or was stopped
--   p_pause     nothing is sent to the webhook before that
--   p_patience  attempts end this long after the delivery began
-- Replies the state: delivered, failed, due (to be attempted again), or null: nothing was done.
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

-- Disables a webhook that answered 410: its unfinished deliveries have failed. The caller holds the webhook.
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

create or replace function webhook_snapshot(p_webhook webhook) returns text
language sql stable as $$
  select json_build_object('url', p_webhook.url, 'types', p_webhook.types)::text
$$;

create or replace function prune_deliveries(p_max integer) returns void
language plpgsql as $$
declare
  v_webhook uuid;
  v_count integer;
begin
  for v_webhook in select r.webhook_id from removed_webhook r order by r.webhook_id for update skip locked loop
    delete from delivery d where d.ctid = any (array(
      select o.ctid from delivery o where o.webhook_id = v_webhook limit p_max
    ));
    get diagnostics v_count = row_count;
    delete from removed_webhook r where r.webhook_id = v_webhook and v_count < p_max;
  end loop;
end
$$;
